"""What the measurements derive from packets, streams and events; none needs root or a network."""

import json
import struct
import unittest
from pathlib import Path

from cluster.chat import ChatFailure, Reply, StreamLines
from cluster.events import BLOCK, CachedBlocks
from cluster.figures import gaps, median, percentile, summary
from cluster.handoff import first_token_figures, gap_ratios
from cluster.hosts import stale_namespaces
from cluster.link import Direction, LinkRules, Route
from cluster.main import differing
from cluster.router import PREFIX_RULES, configuration
from cluster.simulator import compared
from cluster.workload import Session, Shape, Texts, rounds
from cluster.zmtp import Unpacker

RULES = LinkRules(bits_per_second=8e6, delay=0.5, queue_bytes=2_000_000)


def reply(arrivals, prompt=100, cached=0, source=None):
    return Reply(0.0, arrivals, arrivals[-1], "", prompt, cached, source)


class LinkTest(unittest.TestCase):
    def test_packets_arrive_after_both_links_and_the_delay(self):
        path = Route(RULES, Direction(RULES), Direction(RULES))

        self.assertAlmostEqual(2.5, path.arrival(1_000_000, now=0))
        self.assertAlmostEqual(3.5, path.arrival(1_000_000, now=0))

    def test_receivers_link_is_shared_by_senders(self):
        down = Direction(RULES)

        self.assertAlmostEqual(2.5, Route(RULES, Direction(RULES), down).arrival(1_000_000, now=0))
        self.assertAlmostEqual(3.5, Route(RULES, Direction(RULES), down).arrival(1_000_000, now=0))

    def test_full_queue_drops_a_packet(self):
        up = Direction(RULES)
        for _ in range(3):
            self.assertIsNotNone(up.send(1_000_000, now=0))

        self.assertIsNone(up.send(1_000_000, now=0))


class StreamTest(unittest.TestCase):
    def lines(self, *events):
        stream = StreamLines(sent=1.0)
        for number, event in enumerate(events):
            found = stream.line(f"data: {json.dumps(event) if isinstance(event, dict) else event}", 2.0 + number)
        return found

    def test_stream_is_read_with_usage_and_cache(self):
        found = self.lines(
            {"choices": [{"delta": {"content": "a"}}]},
            {"choices": [{"delta": {"content": "b"}}]},
            {
                "choices": [],
                "usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
                "timings": {"cache_source": "peer"},
            },
            "[DONE]",
        )

        self.assertEqual(Reply(1.0, [2.0, 3.0], 5.0, "ab", 9, 4, "peer"), found)
        self.assertEqual(1.0, found.first)

    def test_error_in_a_stream_is_a_failure(self):
        with self.assertRaisesRegex(ChatFailure, "device lost"):
            self.lines({"error": {"message": "device lost"}})

    def test_stream_without_usage_is_a_failure(self):
        with self.assertRaisesRegex(ChatFailure, "without usage"):
            self.lines("[DONE]")


class FiguresTest(unittest.TestCase):
    def test_hit_rate_is_weighted_by_tokens(self):
        found = summary([reply([0.1], 300, 300, "host"), reply([0.3], 100, 0)])

        self.assertEqual(0.75, found["hit_rate"])
        self.assertEqual(100.0, found["ttft_ms_p50"])
        self.assertEqual(300.0, found["ttft_ms_p95"])
        self.assertEqual({"host": 1, "none": 1}, found["sources"])

    def test_gaps_meet_the_interval(self):
        stream = reply([1, 2, 5, 6, 10])

        self.assertEqual([3, 1], gaps(stream, 3, 5.5))

    def test_percentile_is_one_of_the_values(self):
        self.assertEqual(19, percentile(range(20), 99))
        self.assertEqual(2.5, median([1, 2, 3, 9]))

    def test_first_pair_does_not_count_in_the_ratio(self):
        def side(*times):
            return [{"ttft_ms": t, "prompt_tokens": 5, "source": "peer", "text": str(t > 500)} for t in times]

        found = first_token_figures(
            {"handed": side(900, 30, 40), "local": side(1, 10, 10), "there": side(1, 20, 20)}
        )

        self.assertEqual(3.5, found["handed_to_local"])
        self.assertEqual(1.75, found["handed_to_there"])
        self.assertEqual(1, found["different_responses"])

    def test_gaps_are_relative_to_idle_rounds(self):
        def rounds_of(*values):
            return [{"longest_gap_ms": value, "gap_ms_p99": 1} for value in values]

        found = gap_ratios({"idle": rounds_of(10, 20, 90), "handed": rounds_of(30, 30, 30)})

        self.assertEqual({"idle": 1.0, "handed": 1.5}, found["longest_gap_ms_ratio"])

    def test_responses_of_another_text_differ(self):
        self.assertEqual(1, differing(["0 2 a", "0 4 b"], ["0 2 a", "0 4 c"]))


class WorkloadTest(unittest.TestCase):
    def test_sessions_share_system_prompts_only(self):
        shape = Shape(sessions=8, systems=4)
        texts = Texts(1)
        first, same, other = (Session(shape, texts, number).next() for number in (0, 4, 1))

        self.assertEqual(first[0], same[0])
        self.assertNotEqual(first[1], same[1])
        self.assertNotEqual(first[0], other[0])

    def test_each_session_has_all_turns_one_per_round(self):
        shape = Shape(sessions=6, turns=4)
        found = rounds(shape)

        for each in found:
            self.assertEqual(len(each), len(set(each)))
        sent = [session for each in found for session in each]
        self.assertEqual({session: 4 for session in range(6)}, {session: sent.count(session) for session in range(6)})


def stored(block, parent, tokens, medium="CPU"):
    return {
        "type": "BlockStored",
        "block_hashes": [block],
        "parent_block_hash": parent,
        "token_ids": tokens,
        "medium": medium,
    }


class EventsTest(unittest.TestCase):
    FIRST = list(range(BLOCK))
    SECOND = list(range(BLOCK, 2 * BLOCK))

    def test_cached_blocks_are_a_prefix_of_whole_blocks(self):
        blocks = CachedBlocks()
        blocks.apply(stored(1, None, self.FIRST))
        blocks.apply(stored(2, 1, self.SECOND))

        self.assertEqual(2 * BLOCK, blocks.cached(self.FIRST + self.SECOND + [7]))
        self.assertEqual(BLOCK, blocks.cached(self.FIRST + [7] * BLOCK))
        self.assertEqual(0, blocks.cached(self.SECOND))
        self.assertEqual(0, blocks.cached(self.FIRST[:-1]))

    def test_block_is_cached_until_no_medium_has_it(self):
        blocks = CachedBlocks()
        blocks.apply(stored(1, None, self.FIRST, "GPU"))
        blocks.apply(stored(1, None, self.FIRST, "CPU"))

        blocks.apply({"type": "BlockRemoved", "block_hashes": [1], "medium": "GPU"})
        self.assertEqual(BLOCK, blocks.cached(self.FIRST))
        blocks.apply({"type": "BlockRemoved", "block_hashes": [1], "medium": "CPU"})
        self.assertEqual(0, blocks.cached(self.FIRST))

    def test_clear_removes_all(self):
        blocks = CachedBlocks()
        blocks.apply(stored(1, None, self.FIRST))
        blocks.apply({"type": "AllBlocksCleared"})

        self.assertEqual(0, blocks.cached(self.FIRST))

    def test_message_pack_is_read(self):
        packed = (
            b"\x93\xcb" + struct.pack(">d", 1.5) + b"\x91\x82\xa1t\xa2ab\xa1h\xcf" + struct.pack(">Q", 1 << 63) + b"\xc0"
        )

        self.assertEqual([1.5, [{"t": "ab", "h": 1 << 63}], None], Unpacker(packed).value())

    def test_cut_message_pack_is_refused(self):
        with self.assertRaisesRegex(ValueError, "expected 8 bytes"):
            Unpacker(b"\xcf\0").value()


class SimulatorTest(unittest.TestCase):
    def test_table_is_read(self):
        table = "StepCosts[a=1]\n| figure | measured | simulated | deviation |\n|---|---|---|---|\n| hit rate % | 40.0 | 42.0 | +5.0 % |\n"

        self.assertEqual(
            {"hit rate %": {"measured": 40.0, "simulated": 42.0, "deviation_percent": 5.0}}, compared(table)
        )


class RouterTest(unittest.TestCase):
    SERVERS = {"server1": "10.77.0.11:8080", "server2": "10.77.0.12:8080"}

    def test_hash_uses_the_first_messages(self):
        found = configuration("10.77.0.30:8080", "hash", self.SERVERS)

        self.assertIn("balance hdr(X-Prefix)", found)
        self.assertIn("$.messages[1].content", found)
        self.assertIn("server server2 10.77.0.12:8080 check", found)

    def test_documented_rules_are_the_measured_ones(self):
        documented = (Path(__file__).resolve().parents[3] / "docs" / "fleet.md").read_text(encoding="utf-8")

        self.assertIn(PREFIX_RULES, documented)

    def test_round_robin_reads_no_bodies(self):
        self.assertNotIn("json_query", configuration("10.77.0.30:8080", "roundrobin", self.SERVERS))


class HostsTest(unittest.TestCase):
    def test_only_namespaces_of_ended_runs_are_stale(self):
        listed = ["varve-cluster-7-store", "varve-cluster-8-store", "other"]

        self.assertEqual(["varve-cluster-7-store"], stale_namespaces(listed, lambda process: process == 8))


if __name__ == "__main__":
    unittest.main()
