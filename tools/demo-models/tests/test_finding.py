"""Needles are counted and compared, against a server of these tests."""

import contextlib
import io
import json
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from demo import finding
from demo.corpus.needles import Depths
from demo.finding import Share


class _Repeats(BaseHTTPRequestHandler):
    """Answers with the text it was given, or with its first half if it is to be compressed."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/tokenize":
            given = {"tokens": [0] * (len(body["content"]) // 4)}
        else:
            self.server.asked.append(body)
            text = body["messages"][-1]["content"]
            kept = text[: len(text) // 2] if body.get("prefill_compression") == "always" else text
            given = {
                "choices": [{"message": {"content": kept}}],
                "usage": {"prompt_tokens": len(text) // 4},
            }
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(given).encode())

    def log_message(self, *_):
        pass


class FindingTest(unittest.TestCase):
    def setUp(self):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Repeats)
        self.server.asked = []
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def _needles(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            finding.main(["--url", self.url, *arguments])
        return [line for line in output.getvalue().splitlines() if not line.startswith("wrong: ")]

    def test_each_length_number_and_depth_is_a_cell(self):
        lines = self._needles("--cells", "400,600", "--needles", "1,3", "--depths", "2", "--count", "2")
        self.assertEqual(8, len(lines))
        interval = r"90 % interval \[42\.5 %, 100\.0 %\]"
        self.assertRegex(lines[0], rf"^400 tokens, 1 needle, depth 0 to 50 %: 2/2 found, {interval}")
        self.assertRegex(lines[7], r"^600 tokens, 1 of 3 needles, depth 50 to 100 %: 2/2 found")
        self.assertEqual(16, len(self.server.asked))

    def test_one_length_is_asked_for_as_before(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answers.json"
            lines = self._needles(
                "--length", "900", "--depth-range", "100", "-200", "--count", "3", "--json", str(file)
            )
            answers = json.loads(file.read_text())
        self.assertRegex(lines[0], r"^900 tokens, 1 needle: 3/3 found, .*, in prompts of \d+ to \d+ tokens$")
        self.assertEqual([True] * 3, [answer["right"] for answer in answers])
        self.assertNotIn("prefill_compression", self.server.asked[0])

    def test_plain_requests_are_compared_with_those_of_other_fields(self):
        arguments = ("--with", "prefill_compression=always", "--with", "top_k=1", "--count", "50")
        lines = self._needles("--cells", "300", "--depth-range", "0", "100", *arguments)
        self.assertEqual("300 tokens, 1 needle: agree", lines[-1])
        self.assertIn(", plain: 50/50", lines[0])
        self.assertIn(", prefill_compression=always top_k=1: 50/50", lines[1])
        plain, other = self.server.asked[:2]
        self.assertEqual({**plain, "prefill_compression": "always", "top_k": 1}, other)

    def test_what_is_lost_is_told(self):
        arguments = ("--depths", "2", "--with", "prefill_compression=always", "--count", "50")
        with self.assertRaisesRegex(SystemExit, "less is found"):
            self._needles("--cells", "300", *arguments)

    def test_two_servers_are_asked_the_same(self):
        lines = self._needles("--cells", "300", "--depths", "1", "--against", self.url, "--count", "50")
        self.assertEqual("300 tokens, 1 needle, depth 0 to 100 %: agree", lines[-1])
        self.assertEqual(self.server.asked[0::2], self.server.asked[1::2])

    def test_few_questions_are_not_compared(self):
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as error:
            finding.main(["--against", self.url, "--count", "49"])
        self.assertIn("--count: expected 50 or more to compare, found 49", error.getvalue())

    def test_wrong_arguments_are_refused(self):
        for arguments in (["--cells", "0"], ["--needles", "a"], ["--with", "field"], ["--with", "=1"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                finding.main(arguments)

    def test_intervals_are_those_of_wilson(self):
        # Where the share is as many deviations away as nine of ten values are.
        for found, count, low, high in ((45, 50, 0.8085, 0.9505), (0, 50, 0, 0.0513), (50, 50, 0.9487, 1)):
            interval = Share(found, count).interval()
            self.assertAlmostEqual(low, interval[0], 4)
            self.assertAlmostEqual(high, interval[1], 4)

    def test_shares_agree_within_the_interval(self):
        self.assertEqual("agree", Share(45, 50).against(Share(47, 50)))
        self.assertEqual("worse", Share(45, 50).against(Share(48, 50)))
        self.assertEqual("better", Share(45, 50).against(Share(40, 50)))

    def test_the_questions_of_a_depth_are_always_the_same(self):
        cell = finding.Cell(300, 1, Depths(0, 100))
        server = finding.Server(self.url)
        self.assertEqual(next(finding.questions(server, cell)), next(finding.questions(server, cell)))


if __name__ == "__main__":
    unittest.main()
