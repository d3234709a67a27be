"""The textbook: each program has thirty lines or fewer, and, where a compiler of WebAssembly and Chromium
are, its page runs them, and nested programs.

    textbook_test.py SOURCE [CHROMIUM [RAVEL_TRACE]]
"""

import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])

# What a reader does, and what the page shows then.
READS = """
<script>
const ready = setInterval(() => {
  if (!document.body.dataset.ready) return;
  clearInterval(ready);
  const shown = {}, players = [];
  for (const option of document.getElementById('algorithm').options) {
    document.getElementById('algorithm').value = option.value;
    document.getElementById('form').dispatchEvent(new Event('input'));
    shown[option.value] = document.getElementById('result').textContent;
    if (!document.getElementById('trace').hidden) players.push(document.getElementById('player').srcdoc);
  }
  shown.players = players.map(page => page.match(/"title":"([a-z_]*)"/)[1]).join(' ');
  document.getElementById('op').value = 'max';
  document.getElementById('algorithm').value = 'naive_scan';
  document.getElementById('form').dispatchEvent(new Event('input'));
  shown.max = document.getElementById('result').textContent;
  document.getElementById('values').value = '3 x';
  document.getElementById('form').dispatchEvent(new Event('input'));
  shown.refused = document.getElementById('result').textContent;
  shown.others = [['segmented_scan_by_pairs', '3 1 | | 7 0 4'], ['segmented_scan_by_mindex', '3 1 | 7 0 4'],
                  ['sparse_product', '3 1 | | 7 0 4'], ['rank_by_jumping', '4 2 2 0 1'], ['rank_by_splitters', '4 2 2 0 1'],
                  ['evaluate', '3 1 2 4'], ['lex', 'x= "a1"42'], ['compare_prefixes', 'prefix | pro'], ['evaluate', '1 '.repeat(11)],
                  ['naive_scan', '1 | 2'], ['rank_by_splitters', '1 2 1']].map(([name, numbers]) => {
    document.getElementById('op').value = 'plus';
    document.getElementById('algorithm').value = name;
    document.getElementById('values').value = numbers;
    document.getElementById('form').dispatchEvent(new Event('input'));
    return document.getElementById('result').textContent;
  });
  shown.nested = {};
  const read = (program, rows) => {
    document.getElementById('program').value = program;
    document.getElementById('rows').value = rows;
    document.getElementById('nested-form').dispatchEvent(new Event('input'));
    return ['source', 'nested', 'steps', 'picture'].map(id => document.getElementById(id).textContent);
  };
  for (const option of document.getElementById('program').options)
    shown.nested[option.value] = read(option.value, '3 1 2 | | 4 1 | 5 2 3');
  shown.nested.again = read('running_sums', '-1 2');
  shown.nested.refused = read('squares', '1.5');
  shown.ready = document.body.dataset.ready;
  fetch('http://127.0.0.1:PORT/', { method: 'POST', mode: 'no-cors', body: JSON.stringify(shown) });
}, 10);
</script>
"""
SCAN, SORTED = "3 4 11 11 15 16 22 25", "0 1 1 3 3 4 6 7"
LINKS = "Enter links to other nodes, such as 4 2 2 0 1: the last links to itself."
RESULTS = {
    "naive_scan": SCAN, "scan_by_doubling": SCAN, "inclusive_scan_by_sweeps": SCAN,
    "exclusive_scan_by_sweeps": "0 3 4 11 11 15 16 22", "reduce": "25", "compact": "3 1 7 1 3",
    "split_radix_sort": SORTED, "quicksort_by_levels": SORTED, "run_length_encode": "3 1 7 0 4 1 6 3",
    "max": "3 3 7 7 7 7 7 7", "segmented_scan_by_pairs": SCAN, "segmented_scan_by_mindex": SCAN, "sparse_product": "118",
    "rank_by_jumping": LINKS, "rank_by_splitters": LINKS, "evaluate": "897", "compare_prefixes": "Enter two texts, such as prefix | pro.",
    "lex": " ".join(f"number at {k}" for k in range(0, 16, 2)),
}  # fmt: skip
OTHERS = ["3 4 7 7 11", "3 4 7 7 11", "5 0 19", "1 3 4 0 2", "1 3 4 0 2", "45", "name at 0 string at 3 number at 7", "0 0 -1 -1 -1 -1",
          "Enter 10 coefficients at most: the value is at x = 2.", "naive_scan has no segments.", LINKS]  # fmt: skip
PLAYERS = ("naive step_doubling work_efficient brent_kung compaction split_radix_sort quicksort_levels "
           "operator_transform mindex spmv list_ranking list_ranking_by_splitters")  # fmt: skip
NESTED = {
    "squares": "[14, 0, 17, 38] : 4 * int32", "running_sums": "[[3, 4, 6], [], [4, 5], [5, 7, 10]] : 4 * var * int32",
    "odd_values": "[[3, 1], [], [1], [5, 3]] : 4 * var * int32",
    "scaled": "[[9, 3, 6], [], [16, 4], [25, 10, 15]] : 4 * var * int32", "choice": "[3, 0, 5, 5] : 4 * int32",
    "third": "at: index 2 is not in [0, 0), at instance 1",
    "quicksort": "[[1, 2, 3], [], [1, 4], [2, 3, 5]] : 4 * var * int32", "again": "[[-1, 1]] : 1 * var * int32",
    "refused": "Enter rows of integers of up to 6 digits, 200 at most.",
}  # fmt: skip


def check(holds, what):
    if not holds:
        sys.exit(what)


def test_lines():
    for file in sorted((SOURCE / "examples/textbook").glob("*.hpp")):
        body = re.search(r"namespace textbook \{(.*)\}  // namespace textbook", file.read_text(), re.DOTALL)[1]
        lines = [line for line in body.splitlines() if line.strip() and not line.lstrip().startswith("//")]
        check(len(lines) <= 30, f"{file.name} has {len(lines)} lines of code")


class Result(http.server.BaseHTTPRequestHandler):
    """Keeps what the page posts: compilers of WebAssembly take real time, and so Chromium's virtual time may end first."""

    posted = None

    def do_POST(self):
        Result.posted = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def test_page(chromium, trace=""):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = pathlib.Path(folder) / "textbook.html"
        made = subprocess.run([SOURCE / "scripts/textbook_page", page], check=False, env={**os.environ, "RAVEL_TRACE": trace or "none"})
        if made.returncode == 2:
            return  # there is no such compiler
        check(made.returncode == 0, "the page does not compile")
        plain = re.sub("base64,[A-Za-z0-9+/=]+|http://www.w3.org/2000/svg", "", page.read_text())
        check("http" not in plain, "the page is not self-contained")
        with http.server.HTTPServer(("127.0.0.1", 0), Result) as server:
            server.timeout = 100
            page.write_text(page.read_text().replace("</html>", READS.replace("PORT", str(server.server_port)) + "</html>"))
            for _ in range(3):  # other programs may hold the processors
                browser = subprocess.Popen([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                                            f"--user-data-dir={folder}/user", page.as_uri()], stderr=subprocess.DEVNULL)  # fmt: skip
                server.handle_request()
                browser.terminate()
                browser.wait()
                check(Result.posted, "the page has an error")
                shown = json.loads(Result.posted)
                ready = int(shown.pop("ready"))
                if ready < 3000:
                    break
    check(ready < 3000, f"the page takes {ready} ms to load")
    check(shown.pop("players") == (PLAYERS if trace else ""), "the programs that have a player")
    nested = shown.pop("nested")
    check({name: parts[1] for name, parts in nested.items()} == NESTED, f"nested programs: {nested}")
    check("pivot" in nested["quicksort"][0] and nested["squares"][0].endswith("sum(row * row); };"), "their sources")
    check("segmented reduce                    12   (int * int)" in nested["squares"][2], "what explain says")
    check("odd_values" in nested["odd_values"][3] and "offsets" in nested["odd_values"][3], "their pictures")
    check(shown.pop("refused").startswith("Enter integers"), "a word is no number")
    others = [text.split("\n")[0].strip() for text in shown.pop("others")]
    check(others == OTHERS, f"segments and lists: {others}")
    check({name: text.split("\n")[0].strip() for name, text in shown.items()} == RESULTS, f"results: {shown}")
    check(shown["naive_scan"].endswith("8 steps, work 36"), f"counts: {shown}")


if __name__ == "__main__":
    test_lines()
    if len(sys.argv) > 2:
        test_page(*sys.argv[2:])
