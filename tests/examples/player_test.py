"""The player of ravel-trace in headless Chromium: stepping, other values and operators, two algorithms, narrow pages.

    player_test.py RAVEL_TRACE CHROMIUM
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

TRACE, CHROMIUM = sys.argv[1:3]

# What a reader does, and what the page shows then.
READS = """
<script>
addEventListener('load', () => {
  const press = key => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const shown = pane => {
    const rows = {};
    for (const t of pane.querySelectorAll('g.cell text')) (rows[t.getAttribute('y')] ||= []).push(t.textContent);
    return Object.values(rows).at(-1).join(' ');
  };
  const panes = [...document.querySelectorAll('section')], result = {};
  result.first = document.getElementById('said').textContent;
  press('ArrowRight');
  result.second = document.getElementById('said').textContent;
  press('End');
  result.ends = panes.map(shown);
  result.table = [...document.querySelectorAll('#table td')].map(e => e.textContent).join(' ');
  const form = document.getElementById('form');
  result.form = getComputedStyle(form).display;
  if (result.form !== 'none') {
    document.getElementById('values').value = '1 1 1 1 1 1 1 9';
    form.requestSubmit();
    press('End');
    result.others = panes.map(shown);
    document.getElementById('values').value = '2147483647 1 1 1 1 1 1 1';
    form.requestSubmit();
    press('End');
    result.great = panes.map(shown);
    document.getElementById('values').value = '1 1 1 1 1 1 1 9';
    form.requestSubmit();
    press('End');
    document.getElementById('op').value = 'max';
    document.getElementById('op').dispatchEvent(new Event('change'));
    result.greatest = panes.map(shown);
    document.getElementById('values').value = '1 2';
    form.requestSubmit();
    result.refused = document.getElementById('said').textContent;
  }
  const cell = [...panes[0].querySelectorAll('g.cell')].at(-1);
  cell.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  result.tree = document.getElementById('said').textContent;
  result.overflow = document.documentElement.scrollWidth - innerWidth;
  document.body.dataset.result = JSON.stringify(result);
});
</script>
"""


def check(holds, what):
    if not holds:
        sys.exit(what)


def player(folder, *arguments, width=1000):
    page = folder / "player.html"
    subprocess.run([TRACE, *arguments, "--format", "html", "-o", page], check=True)
    page.write_text(page.read_text().replace("</body>", READS + "</body>"))
    dom = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},800", f"--user-data-dir={folder}/user",
                          "--virtual-time-budget=5000", "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=100)  # fmt: skip
    found = re.search(r'data-result="([^"]*)"', dom.stdout)
    check(found, f"the page of {arguments} has an error: {dom.stdout[-500:]} {dom.stderr[-500:]}")
    result = json.loads(found[1].replace("&quot;", '"'))
    check(result["overflow"] <= 0, f"the page of {arguments} is {result['overflow']} pixels wider than its window")
    return result


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for width in (1000, 500):
            two = player(folder, "work_efficient", "--beside", "brent_kung", width=width)
            check(two["ends"] == ["3 4 11 11 15 16 22 25"] * 2, f"both end in the scan: {two}")
            check(two["great"] == ["2147483647 -2147483648 " + " ".join(str(k - 2147483648) for k in range(1, 7))] * 2, f"wraps around: {two}")
            check(two["others"] == ["1 2 3 4 5 6 7 16"] * 2, f"other values: {two}")
            check(two["greatest"] == ["1 1 1 1 1 1 1 9"] * 2, f"another operator: {two}")
            check(two["refused"] == "Enter 8 integers.", f"too few values: {two}")
            check("work_efficient 12 of 12 41" in two["table"] and "brent_kung 9 of 9" in two["table"], f"counts: {two}")
        one = player(folder, "step_doubling")
        check(one["first"].startswith("Step 0 of 5") and one["second"].startswith("Step 1 of 5, 8 threads"), f"steps: {one}")
        nested = player(folder, "nested_sums", width=500)
        check(nested["ends"] == ["14 0 42 13"] and nested["form"] == "none", f"a nested program: {nested}")
        check("13 = ((2 * 2) + (3 * 3))" in nested["tree"], f"a tree: {nested}")


if __name__ == "__main__":
    main()
