"""The words that tools/lint_words.py finds, and the places where it searches.

usage: lint_words_test.py TOOLS_FOLDER
"""

import sys
import unittest

sys.path.insert(0, sys.argv[1])
import lint_words  # noqa: E402


def found_in(text):
    return [each.instead for each in lint_words.RULES if each.pattern.search(text)]


class Words(unittest.TestCase):
    def test_words_of_the_glossary_are_found(self):
        for text in ("the page tells the verdict", "a leak is told", "the last look", "3 looks at all objects", "a bug of ours",
                     "made anew", "the job's Pythons", "whoever reads it", "it cannot be had", "memory so far", "93 %",
                     "{} % of the growth", "393 kB a step", "shared pages once", "has more rights than lowtide",
                     "too early to tell a leak from a warm-up", "the UUID tells them apart", "they cannot be told apart",
                     "the run in bold speaks for the report", "what each process alone is to blame for", "looks at all objects",
                     "by growth of what is alive", "a line has more alive than before", "180 MB alive, 151 MB more", "{} alive",
                     "the samples that are alive", "resident memory grew, what was alive did not"):
            self.assertTrue(found_in(text), text)

    def test_plain_english_is_not_found(self):
        for text in ("too early to distinguish a leak from a warm-up", "the UUID identifies them", "looks like a log", "look at the report", "93%", "{}% of the growth", "printf(\"%d %s\")", "393 kB/step",
                     "shared pages once per process", "a snapshot of the Python processes", "workers that stay alive",
                     "a Python object that keeps memory alive", "whether a process is alive", "the job is to blame"):
            self.assertEqual(found_in(text), [], text)

    def test_only_comments_and_strings_of_code_are_read(self):
        cpp = '#include "told/anew.h"\nint anew = 1;  // one\nauto s = "two\\n"; /* three\nfour */\n'
        self.assertEqual(list(lint_words.c_texts(cpp)), [(2, " one"), (3, "two\\n"), (3, " three\nfour ")])
        python = 'anew = 1  # one\nx = "two"\n'
        self.assertEqual(list(lint_words.python_texts(python)), [(1, "# one"), (2, '"two"')])

    def test_code_and_made_tables_of_documents_are_not_read(self):
        text = "one `code`\n\n    indented\n```\nfenced\n```\n<!-- made from src, x: begin -->\n| row |\n<!-- made from src, x: end -->\ntwo\n"
        lines = [line for _, line in lint_words.prose(text) if line and not line.startswith("<!--")]
        self.assertEqual(lines, ["one ``", "two"])

    def test_all_lines_of_a_shell_script_are_read(self):
        self.assertEqual(list(lint_words.shell_texts("#!/bin/sh\n# one\ncat <<END\ntwo\nEND\n"))[1:4],
                         [(2, "# one"), (3, "cat <<END"), (4, "two")])
        self.assertIs(lint_words.reader_of("dev"), lint_words.shell_texts)

    def test_all_folders_with_text_for_people_are_checked(self):
        for name in ("src/model/verdict.h", "python/lowtide/__init__.py", "web/src/values.ts", "tools/setup.sh", "docs/json.md",
                     "tests/functions.py", "bench/gpu/job.py", "zoo/check.py", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "dev"):
            self.assertTrue(name.startswith(lint_words.CHECKED), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
