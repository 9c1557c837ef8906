package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.contracts.MemorySharedStore;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Tests which peer computes a prompt, and for how long a failed one is suspended. */
class HandOffPeersTest {
    private static final long BYTES_PER_TOKEN = 1000;

    private final List<SharedArchive> archives = new ArrayList<>();
    private long seconds;

    @AfterEach
    void close() {
        archives.forEach(SharedArchive::close);
    }

    /** A peer that reports a speed and computes nothing. */
    private final class Peer implements PrefillPeer {
        private final String name;
        private final double millis;
        private final SharedArchive archive;

        Peer(String name, double millis) {
            this.name = name;
            this.millis = millis;
            archive =
                    SharedArchive.open(
                            new SharedArchiveSettings(
                                    name,
                                    new Namespace(new byte[32], Map.of()),
                                    true,
                                    Duration.ofSeconds(20),
                                    Optional.empty()),
                            new MemorySharedStore(new ConcurrentHashMap<>()));
            archives.add(archive);
        }

        @Override
        public String address() {
            return name;
        }

        @Override
        public SharedArchive archive() {
            return archive;
        }

        @Override
        public OptionalDouble millisPerToken() {
            return millis == 0 ? OptionalDouble.empty() : OptionalDouble.of(millis);
        }

        @Override
        public long capacityBytes() {
            return 1 << 30;
        }

        @Override
        public void prefill(Job job, Duration limit, BooleanSupplier isAwaited) {}

        @Override
        public void close() {}
    }

    private HandOffPeers peers(HandOffMode mode, Peer... some) {
        return new HandOffPeers(List.of(some), mode, () -> TimeUnit.SECONDS.toNanos(seconds));
    }

    private static HandOffPeers.Prompt prompt(int tokens, double localMillis) {
        return new HandOffPeers.Prompt(tokens, BYTES_PER_TOKEN, OptionalDouble.of(localMillis));
    }

    private static String chosen(HandOffPeers peers, HandOffPeers.Prompt prompt) {
        return peers.choose(prompt).map(each -> each.peer().address()).orElse("none");
    }

    private static long count(HandOffPeers peers, HandOffOutcome outcome) {
        return peers.status().outcomes().getOrDefault(outcome, 0L);
    }

    /** 1000 tokens take 500 ms at the peer; 1 MB takes 100 ms at 10 kB in a millisecond. */
    @ParameterizedTest
    @CsvSource({"601, peer", "599, none"})
    void measuredComputingAndTransferAreCompared(double localMillis, String expected) {
        HandOffPeers peers = peers(HandOffMode.MEASURED, new Peer("peer", 0.5));
        HandOffPeers.Assignment first = peers.choose(prompt(1000, 1e6)).orElseThrow();
        first.endPrefill();
        first.adopted(1000, 1_000_000, 100);

        assertEquals(expected, chosen(peers, prompt(1000, localMillis)));
        assertEquals("none".equals(expected) ? 1 : 0, count(peers, HandOffOutcome.FASTER_HERE));
    }

    @Test
    void ownSpeedIsMeasuredFirst() {
        HandOffPeers peers = peers(HandOffMode.MEASURED, new Peer("peer", 0.5));
        HandOffPeers.Prompt unknown =
                new HandOffPeers.Prompt(1000, BYTES_PER_TOKEN, OptionalDouble.empty());

        assertEquals("none", chosen(peers, unknown));
        assertEquals("peer", chosen(peers(HandOffMode.ALWAYS, new Peer("peer", 0.5)), unknown));
    }

    @Test
    void loadIsSpreadOverPeers() {
        HandOffPeers peers =
                peers(HandOffMode.MEASURED, new Peer("fast", 0.5), new Peer("slow", 0.8));

        assertEquals("fast", chosen(peers, prompt(1000, 1e6)));
        assertEquals("slow", chosen(peers, prompt(1000, 1e6)));
        assertEquals("fast", chosen(peers, prompt(1000, 1e6)));
    }

    @Test
    void busyPeersAndTooLargePromptsAreComputedHere() {
        HandOffPeers peers = peers(HandOffMode.ALWAYS, new Peer("peer", 0.5));
        assertEquals("none", chosen(peers, prompt(2_000_000, 1e6)));
        for (int i = 0; i < HandOffPeers.MOST_JOBS; i++) {
            assertEquals("peer", chosen(peers, prompt(1000, 1e6)));
        }

        assertEquals("none", chosen(peers, prompt(1000, 1e6)));
        assertEquals(2, count(peers, HandOffOutcome.UNAVAILABLE));
    }

    @Test
    void promptWaitsBehindTheEarlierOnesOfThisServer() {
        HandOffPeers peers = peers(HandOffMode.ALWAYS, new Peer("peer", 0.5));
        HandOffPeers.Assignment first = peers.choose(prompt(1000, 1e6)).orElseThrow();
        HandOffPeers.Assignment second = peers.choose(prompt(3000, 1e6)).orElseThrow();
        first.endPrefill();
        HandOffPeers.Assignment third = peers.choose(prompt(1000, 1e6)).orElseThrow();

        assertEquals(
                List.of(0L, 1000L, 3000L),
                List.of(first.tokensAhead(), second.tokensAhead(), third.tokensAhead()));
    }

    /** Searches for the blocks of many waiting prompts would load the link and the peer. */
    @Test
    void searchesAreRarerIfManyPromptsWait() {
        HandOffPeers peers = peers(HandOffMode.ALWAYS, new Peer("peer", 0.5));
        HandOffPeers.Assignment first = peers.choose(prompt(1000, 1e6)).orElseThrow();
        assertEquals(1, first.searchPeriods());
        for (int i = 1; i < HandOffPeers.MOST_JOBS; i++) {
            peers.choose(prompt(1000, 1e6)).orElseThrow();
        }

        assertEquals(8, first.searchPeriods());
    }

    @ParameterizedTest
    @EnumSource(names = {"SLOW", "LOST", "REFUSED", "INCOMPLETE"})
    void failedPeerIsSuspendedForLongerEachTime(HandOffOutcome outcome) {
        HandOffPeers peers = peers(HandOffMode.ALWAYS, new Peer("peer", 0.5));
        for (int pause : new int[] {5, 10, 20, 40, 80, 160, 300, 300}) {
            HandOffPeers.Assignment one = peers.choose(prompt(1000, 1e6)).orElseThrow();
            one.endPrefill();
            one.failed(outcome);
            seconds += pause - 1;
            assertEquals("none", chosen(peers, prompt(1000, 1e6)), "after " + pause + " s less 1");
            seconds++;
        }
        HandOffPeers.Assignment one = peers.choose(prompt(1000, 1e6)).orElseThrow();
        one.endPrefill();
        one.adopted(1000, 1_000_000, 10);

        assertTrue(peers.status().peers().getFirst().available());
        assertEquals(8, count(peers, outcome));
        assertEquals(1, count(peers, HandOffOutcome.ADOPTED));
    }

    @Test
    void cancelledRequestDoesNotSuspendThePeer() {
        HandOffPeers peers = peers(HandOffMode.ALWAYS, new Peer("peer", 0.5));
        HandOffPeers.Assignment one = peers.choose(prompt(1000, 1e6)).orElseThrow();
        one.endPrefill();

        one.failed(HandOffOutcome.CANCELLED);

        assertEquals("peer", chosen(peers, prompt(1000, 1e6)));
    }
}
