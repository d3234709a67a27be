#!/usr/bin/env python3
"""The documentation site: Doxygen on the headers and the pages of this project.

usage: site.py FOLDER       writes the site to FOLDER/html, and checks it

Doxygen reads copies in FOLDER/input.  In the copy of a header the namespaces of implementation are blank, and
what is left is a group, so that each header has a page; the facts of a docstring (Cost, Errors, ...) are
paragraphs.  In the copy of a page headings have the anchors that they have on GitHub, and links lead to pages
of the site.  A name in code on a page becomes a link to what the reference says of it.

Fails if a public name has no docstring, if Doxygen warns of anything else, or if a link of the site leads
nowhere.  Members of types may have none where the type says what they are; FOLDER/undocumented.txt lists them.
"""

import html
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

from headers import LAYERS
from links import anchor

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"
# Only the header is described: of names that are CUDA's own, and of overloads that refuse calls.
FOREIGN = {"software_device/intrinsics.hpp", "distributed/refused_calls.hpp"}
PRIVATE = r"(?:\w+::)*(?:detail|flattening|piping)(?:::\w+)*"
NAMESPACES = {
    "ravel": "All public names.  They live in an inline namespace, `ravel::v0`.",
    "ravel::cpu": "Executors and forms of the host.",
    "ravel::cpu::simd": "Vectors of numbers, in one width.",
    "ravel::distributed": "Calls on several ranks.",
    "ravel::software": "The device in software, and what traces it.",
    "ravel::gpu": "The executor and the forms of CUDA devices.",
    "ravel::scan_algorithm": "The scans of the literature, as options of a call.",
    "ravel::segmented_algorithm": "The segmented scans of the literature, as options of a call.",
}
FACTS = "Bits|Cost|Errors|Options|Order|Returns|Shapes|Source|See also|Types"
TAGS = "details|summary|sub|sup|br"
PATH = re.compile(rf"\b(?:(?:{'|'.join(LAYERS)})/[\w/]+\.(?:hpp|cuh)|docs/[\w/]+\.md)\b")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if name]


# ---- headers

def group_of(header):
    """core/cpu/team.hpp: core_cpu_team.  A .cuh may have the stem of a .hpp."""
    path = header.replace(".hpp", "").replace(".cuh", "_cuh")
    return re.sub(r"\W", "_", path)


def file_of_group(group):
    return f"group__{group.replace('_', '__')}.html"


def without_private(lines):
    """Blank lines for the namespaces of implementation, preprocessor lines within included."""
    closing = None
    for line in lines:
        opening = re.match(rf"namespace ({PRIVATE}|ravel::inline v0::{PRIVATE}) \{{$", line)
        if closing is None and opening:
            closing = f"}}  // namespace {opening[1]}"
        yield "" if closing else line
        if line == closing:
            closing = None
    if closing:
        sys.exit(f"no line {closing}")


def in_prose(text, change):
    """The text with `change` of all of it outside of `code`."""
    return "".join(part if part.startswith("`") else change(part) for part in re.split(r"(`[^`]*`)", text))


def escaped(text):
    """What Doxygen would take for its commands and tags, literally."""
    return re.sub(rf"[@\\]|<(?!/?(?:{TAGS})>)(?=[\w/!])|(?<![&\w])#(?=\w)|::", r"\\\g<0>", text)


def docstring(lines, known):
    """The lines of a comment, without ///: facts become paragraphs, and named headers links."""
    fact = code = False
    for line in lines:
        start = re.match(rf"({FACTS})(?:  +|(?<=also) )(?=\S)", line)
        if start:
            fact, line = start[1], line[start.end():]
        elif not line.strip():
            fact = False
        elif fact and line.startswith("   "):
            line = line.lstrip()
        elif line.startswith("    "):
            yield line
            continue
        else:
            fact = False
        line = in_prose(line, lambda t: PATH.sub(lambda m: known.get(m[0], m[0]), escaped(t)))
        yield f"@fact{{{start[1]}}} {line}" if start else line


def code_of(line):
    """A line without its literals and comments."""
    return re.sub(r"//.*", "", re.sub(r'"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)\'', "", line)).rstrip()


def sentence_of(comment):
    """The first sentence of the lines of a docstring."""
    text = re.split(r"\n *///\s*\n| +@fact", "\n".join(comment))[0]
    text = " ".join(re.sub(r"^ *///", "", line).strip() for line in text.splitlines())
    return re.split(r"(?<=\.)  ?(?=[A-Z])|:$", text)[0]


def forms_described(lines):
    """A form is described by its member `why`."""
    text = "\n".join(lines)
    form = re.compile(r"(?<!///)(?<=\n)\n((?:template <[^{}]*>\n)?(?:requires [^{}]*\n)?struct \w+(?: : [^{}\n]+)? \{\n"
                      r"(?:[^}\n]*\n)*?  static constexpr auto name = \"([^\"]+)\";\n"
                      r"  static constexpr auto why =((?:\s*\"(?:[^\"\\\\]|\\\\.)*\")+);)")
    return form.sub(lambda m: "/// The form `{}`.  {}\n{}".format(
        m[2], escaped("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', m[3])).replace('\\"', '"')), m[1]), text).split("\n")


def shared_docstrings(lines):
    """Declarations that follow one another without a blank line share the docstring of the first: the others
    get its first sentence."""
    depth, docs, follows, comment = 0, {}, {}, []
    for line in lines:
        code = code_of(line)
        if re.match(r" */// ?", line):
            comment.append(line)
        elif not line.strip() or line.startswith(("namespace ", "}  // namespace", "/** @} */")):
            docs.pop(depth, None)
            comment = []
        elif code:
            if comment:
                docs[depth], comment = sentence_of(comment), []
            elif follows.get(depth) and depth in docs and not re.match(r" *(#|///|\}|(private|public|protected):)", line):
                yield re.sub(r"^( *)", lambda m: f"{m[1]}/** {docs[depth]} */ ", line)
                depth, follows = after(code, depth, follows)
                continue
        if not line.startswith(("namespace ", "}  // namespace", "/** @} */", "#")):
            depth, follows = after(code, depth, follows)
            docs = {d: doc for d, doc in docs.items() if d <= depth}
        yield line


def after(code, depth, follows):
    """The depth of braces after a line, and whether a declaration of that depth ends with it."""
    if code:
        depth += code.count("{") - code.count("}")
        follows = {d: f for d, f in follows.items() if d <= depth}
        follows[depth] = code.endswith((";", "}"))
    return depth, follows


def header_copy(header, text, known):
    """A header as Doxygen reads it; its lines keep their numbers."""
    group, out, comment = group_of(header), [], []
    layer = header.split("/")[0]

    def flush():
        if comment:
            indent = re.match(" *", comment[0])[0]
            bodies = [re.sub(r"^ */// ?", "", line) for line in comment]
            opening = bodies[0] == "@file"
            if opening:
                bodies[0] = ""
            bodies = list(docstring(bodies, known))
            if opening:
                bodies[0] = f"@page_of{{{group},{header},layer_{layer}}}"
            out.extend(f"{indent}/// {body}".rstrip() for body in bodies)
            comment.clear()

    text = text.replace("#pragma once\n\n///", "#pragma once\n/// @file\n///", 1)
    if header in FOREIGN:
        text = text[:text.index("\n\n", text.index("/// @file"))]
    text = "\n".join(without_private(text.splitlines()))
    text = re.sub(r"^(?:template <.*>\n)?(?:\w+\([^(){}]*\) ->[^;{}]*;)$",  # deduction guides
                  lambda m: "\n" * m[0].count("\n"), text, flags=re.M)
    text = re.sub(r"^(?:template <.*>\n)?(?:struct|inline constexpr bool) std::(?:[^{};]*;|[^;]*?\{[^{}]*\};)$",
                  lambda m: "\n" * m[0].count("\n"), text, flags=re.M)  # what std has for our types
    for line in forms_described(text.splitlines()):
        if re.match(r" *///( |$)", line):
            comment.append(line)
            continue
        flush()
        line = re.sub(r"\[\[gnu::\w+\]\] ?", "", line).replace("ravel::inline v0", "ravel")
        line = line.replace("::inline RAVEL_VECTORS", "")
        line = re.sub(r"(?<=\d)'(?=\d)", "", line)  # Doxygen takes 10'000 for the begin of a literal
        opening = re.match(r"namespace ravel(::\w+)* \{$", line)
        closing = re.match(r"\}  // namespace ravel(::\w+)*$", line)
        if opening:
            line += f" /** @in_page{{{group}}} */"
        elif closing:
            line = f"/** @}} */ {line}"
        out.append(line)
    flush()
    return "\n".join(shared_docstrings(out)) + "\n"


# ---- pages

def id_of(page):
    """docs/guide/primitives.md: guide_primitives; core/README.md: core."""
    if page == "README.md":
        return "index"
    path = page.removesuffix(".md").removesuffix("/README")
    if path.removeprefix("docs/") not in LAYERS:
        path = path.removeprefix("docs/")
    return re.sub(r"\W", "_", path).lower()


def anchor_of(page, fragment):
    return f"{id_of(page)}-{fragment}" if fragment else ""


class Pages:
    """The pages of the site, and the files that they show or lead to."""

    def __init__(self, folder, pages, headers):
        self.folder, self.pages, self.headers = folder, set(pages), headers
        self.sources, self.images = set(), set()

    def target(self, page, link):
        """Where a link of a page leads on the site."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, fragment = link.partition("#")
        found = (ROOT / page).parent.joinpath(path).resolve().relative_to(ROOT).as_posix() if path else page
        if f"{found}/README.md" in self.pages:
            found += "/README.md"
        if found in self.pages:
            anchor = anchor_of(found, fragment)
            return f"{id_of(found)}.html{'#' + anchor if anchor else ''}"
        header = found.partition("/include/ravel/")[2]
        if header in self.headers:
            return file_of_group(group_of(header))
        if found.endswith(".svg"):
            self.images.add(found)
            return f"plots/{pathlib.Path(found).name}"
        self.sources.add(found)
        return f"source_{re.sub(r'[^a-z0-9]', '_', found.lower())}.html"

    def heading(self, page, level, text, before):
        """A heading with the anchor that it has on GitHub."""
        name, text = text, text.replace("`", "")  # Doxygen has no code in headings
        if level == "#":
            return f"# {text}" + ("" if page == "README.md" else f" {{#{id_of(page)}}}")
        return f"{level} {text} {{#{anchor_of(page, anchor(name, before))}}}"

    def prose(self, page, text):
        out, at = "", 0
        for m in re.finditer(r"(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)|`[^`]*`", text):
            out += escaped(text[at:m.start()])
            at = m.end()
            if m[3] is None:
                out += m[0]
            elif m[1]:
                out += f'<img src="{self.target(page, m[3])}" alt="{html.escape(m[2])}" loading="lazy"/>'
            else:  # in one line: Doxygen ends the name of a page there
                out += f"[{in_prose(' '.join(m[2].split()), escaped)}]({self.target(page, m[3])})"
        return out + escaped(text[at:])

    def copy(self, page):
        text = (ROOT / page).read_text(encoding="utf-8")
        # Comments outside of blocks of code.
        text = "".join(part if part.startswith("```") else re.sub(r"<!--.*?-->", "", part, flags=re.S)
                       for part in re.split(r"(^```.*?^```$)", text, flags=re.S | re.M))
        text = text.replace("\n</details>", "\n\n</details>")
        out, prose, code, headings = [], [], False, []

        def flush():
            if prose:
                out.append(self.prose(page, "\n".join(prose)))
                prose.clear()

        for line in text.splitlines():
            fence = re.match(r"( *)```(\w*)", line)
            heading = re.match(r"(#+) +(.*?) *$", line)
            if not (fence or code or heading or line.startswith("    ")):
                prose.append(line)
                continue
            flush()
            if fence:
                line = f"{fence[1]}```{'cpp' if fence[2] == 'cuda' else fence[2]}"
                code = not code
            elif heading and not code:
                line = self.heading(page, heading[1], heading[2], headings)
            out.append(line)
        flush()
        return "\n".join(out) + "\n"

    def source_page(self, source):
        """A page with a file of source, or with the list of files of a folder."""
        path = ROOT / source
        title = f"# {source} {{#source_{re.sub('[^a-z0-9]', '_', source.lower())}}}\n\n"
        if path.is_dir():
            files = tracked(source)
            return title + "".join(f"- [{f}]({self.target('README.md', f)})\n" for f in files)
        language = {".hpp": "cpp", ".cpp": "cpp", ".cu": "cpp"}.get(path.suffix, "text")
        return f"{title}```{language}\n{path.read_text(encoding='utf-8')}```\n"


# ---- the site

def version():
    return re.search(r"project\(ravel VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def about(layer):
    """The first paragraph of the README of a layer."""
    return (ROOT / layer / "README.md").read_text(encoding="utf-8").split("\n\n")[1].replace("\n", " ").split(" [")[0]


def write_input(folder):
    """Copies of headers and pages in FOLDER/input; plots in FOLDER/html/plots."""
    shutil.rmtree(folder, ignore_errors=True)
    headers = {name.partition("/include/ravel/")[2]: ROOT / name
               for name in tracked("*/include/ravel/*.hpp", "*/include/ravel/*.cuh")}
    known = {header: f"[{header}]({file_of_group(group_of(header))})" for header in headers}
    known |= {page: f"[{page}]({id_of(page)}.html)" for page in tracked("docs/*.md")}
    for header, path in headers.items():
        copy = folder / "input/headers/ravel" / header
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(header_copy(header, path.read_text(encoding="utf-8"), known), encoding="utf-8")
    pages = Pages(folder, tracked("*.md"), headers)
    copies = {page: pages.copy(page) for page in sorted(pages.pages)}
    copies |= {f"source/{source}.md": pages.source_page(source) for source in sorted(pages.sources)}
    while missing := [s for s in sorted(pages.sources) if f"source/{s}.md" not in copies]:
        copies |= {f"source/{source}.md": pages.source_page(source) for source in missing}
    for page, text in copies.items():  # Doxygen takes any README for the first page
        copy = folder / "input" / page.replace("README", "readme" if "/" in page else "first")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
    for image in pages.images:
        copy = folder / "html/plots" / pathlib.Path(image).name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / image, copy)
    groups = "".join(f"/** @defgroup layer_{layer} {layer}\n    {about(layer)}  [More]({layer}.html) */\n" for layer in LAYERS)
    groups += "".join(f"/** @namespace {name}\n    {what} */\n" for name, what in NAMESPACES.items())
    (folder / "input/groups.dox").write_text(groups)
    return headers


def run_doxygen(folder):
    """Doxygen's warnings."""
    settings = f"""
@INCLUDE               = {SITE}/Doxyfile
PROJECT_NUMBER         = {version()}
INPUT                  = groups.dox first.md .
FILE_PATTERNS          = *.dox *.hpp *.cuh *.md
OUTPUT_DIRECTORY       = {folder}
LAYOUT_FILE            = {SITE}/layout.xml
HTML_EXTRA_STYLESHEET  = {SITE}/style.css
GENERATE_TAGFILE       = {folder}/ravel.tag
STRIP_FROM_PATH        = {folder}/input
STRIP_FROM_INC_PATH    = {folder}/input/headers
WARN_LOGFILE           = {folder}/warnings.txt
"""
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=folder / "input")
    return (folder / "warnings.txt").read_text(encoding="utf-8").splitlines()


# ---- what Doxygen wrote

def names_of(folder):
    """Where the reference describes each public name: ravel::scan, and without ravel::."""
    places = {}
    for compound in xml.etree.ElementTree.parse(folder / "ravel.tag").getroot():
        name = compound.findtext("name")
        found = []
        if compound.get("kind") in ("struct", "class", "concept"):
            found.append((name, compound.findtext("filename")))
        elif compound.get("kind") == "namespace":
            found += [(f"{name}::{m.findtext('name')}", f"{m.findtext('anchorfile')}#{m.findtext('anchor')}")
                      for m in compound.findall("member") if m.get("kind") in ("function", "variable", "typedef")]
        for name, place in found:
            if name.startswith("ravel::") and "<" not in name and not name.startswith("ravel::cpu::simd"):
                short = name.removeprefix("ravel::")
                # The facade of a primitive before forms of it.
                if short not in places or place.count("_") < places[short].count("_"):
                    places[short] = place
    return places


def linked_names(page, text, places, headers):
    """The text of a page with links from names in code, outside of blocks, headings and other links."""
    layer = page.removesuffix(".html")

    def link(m):
        if m[1] is None:
            return m[0]
        code = html.unescape(m[1])
        header = code if code in headers else f"{layer}/{code}"
        name = re.match(r"(?:ravel::)?([\w:]{3,})(?:$|[({<])", code)
        place = file_of_group(group_of(header)) if header in headers else places.get(name[1]) if name else None
        return f'<a href="{place}">{m[0]}</a>' if place and not place.startswith(page) else m[0]
    def relink(m):
        """Doxygen links the last name that ends so, from whatever namespace."""
        if m[1].startswith("std::"):
            return m[1]
        place = places.get(html.unescape(m[1]).removeprefix("ravel::"))
        return f'<a class="code" href="{place}">{m[1]}</a>' if place else m[1]
    text = re.sub(r'<div class="ttc".*?</div></div>\n', "", text)
    text = re.sub(r'<a class="code hl_(?:function|class|struct|variable|typedef)" [^>]*>(.*?)</a>', relink, text)
    skipped = r"<a .*?</a>|<div class=\"fragment\">.*?</div><!-- fragment -->|<pre.*?</pre>|<h\d.*?</h\d>|<title>.*?</title>"
    return re.sub(rf"{skipped}|<code>([^<>]*)</code>", link, text, flags=re.S)


def with_headings(text):
    """A page with a list of its headings, where there are several."""
    found = re.findall(r'<h([12])><a class="anchor" id="([^"]+)"></a>\s*(.*?)</h\1>', text, flags=re.S)
    if len(found) < 4:
        return text
    links = "".join(f'<a class="level{level}" href="#{id}">{re.sub("<.*?>", "", title).strip()}</a>' for level, id, title in found)
    # Open where it is beside the text: see style.css.
    nav = (f'<nav class="here"><details><summary>On this page</summary>{links}</details></nav><script>'
           'document.querySelector("nav.here details").open = matchMedia("(min-width: 84rem)").matches</script>')
    return text.replace('<div class="contents">', f'<div class="contents">{nav}', 1)


def finish(folder, headers):
    places = names_of(folder)
    with (folder / "html/search/search.css").open("a") as sheet:  # results are in a frame of their own
        sheet.write((SITE / "style.css").read_text())
    header_of = {file_of_group(group_of(header)): header for header in headers}
    for path in (folder / "html").glob("*.html"):
        if path.name.startswith("dir_"):
            path.unlink()
            continue
        text = before = path.read_text(encoding="utf-8")
        if 'id="nested-classes"' not in text:  # Doxygen links to it even where a group has these
            text = re.sub(r'<a href="#nested-classes">Classes</a> &#124;\s*', "", text)
        text = re.sub(r'<(td|div) class="mem(?:TemplParams|template|name|ItemRight|TemplItemRight)".*?</\1>',
                      lambda m: m[0].replace(" ,", ",").replace(" &gt;", "&gt;").replace("ravel::", ""), text, flags=re.S)
        text = re.sub(r'<h2 class="groupheader"> *</h2>', "", text)  # the title of a description
        text = re.sub(r"<code>.*?</code>", lambda m: m[0].replace(r"\|", "|"), text)  # code in tables of Markdown
        if header := header_of.get(path.name):
            include = f'<div class="fragment"><div class="line">#include &lt;ravel/{header}&gt;</div></div>'
            text = text.replace('<div class="contents">', f'<div class="contents">{include}', 1)
        if "<!-- PageDoc -->" in text:
            text = with_headings(linked_names(path.name, text, places, headers))
        elif header:
            text = linked_names(path.name, text, places, headers)
        if text != before:
            path.write_text(text, encoding="utf-8")


def broken_links(folder):
    """Links of the site that lead to no file, or to no anchor of it."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    anchors = {name: set(re.findall(r'\b(?:id|name)="([^"]+)"', text)) for name, text in texts.items()}
    for name, text in texts.items():
        if command := re.search(r"^@(code|endcode|section|subsection)\b.*", text, flags=re.M):
            yield f"{name}: Doxygen has not understood {command[0]}"
        for link in set(re.findall(r'\b(?:href|src)="([^"]+)"', text)):
            link = html.unescape(link)
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = link.partition("#")
            file = file or name
            if not (folder / file).exists():
                yield f"{name}: {link} leads to no file"
            elif anchor and file in anchors and anchor not in anchors[file]:
                yield f"{name}: {link} leads to no anchor"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not shutil.which("doxygen") or not (ROOT / ".git").exists():
        sys.exit("no site: it needs doxygen, and a checkout of git")
    folder = pathlib.Path(sys.argv[1]).resolve()
    headers = write_input(folder)
    warnings = [w.replace(f"{folder}/input/headers/ravel/", "").replace(f"{folder}/input/", "") for w in run_doxygen(folder)]
    finish(folder, headers)
    wrong = [w for w in warnings if "is not documented" not in w] + list(broken_links(folder / "html"))
    missing = [w for w in warnings if "is not documented" in w and not re.search(r"> is not documented", w)]
    # Overloads that launched_form and named_algorithm describe.
    missing = [w for w in missing if not re.search(r"\b(launch_form|scan_by)\(", w)]
    members = [w for w in missing if re.search(r"\) of (class|struct|union) ", w)]
    names = sorted(set(missing) - set(members))
    (folder / "undocumented.txt").write_text("".join(f"{w}\n" for w in members))
    for line in wrong:
        print(line)
    pages = len(list((folder / "html").glob("*.html")))
    print(f"{pages} pages; without a docstring: {len(names)} names, and {len(members)} members of types")
    if names:
        print("\n".join(names))
    sys.exit(1 if wrong or names else 0)


if __name__ == "__main__":
    main()
