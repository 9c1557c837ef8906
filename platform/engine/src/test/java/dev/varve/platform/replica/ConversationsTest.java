package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineCore;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.ShardPipeline;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Runs conversations with a common prefix, turn by turn in random order, on two replicas whose
 * caches hold all of them only together.
 */
class ConversationsTest {
    private static final int CONVERSATIONS = Effort.of(40, 100);
    private static final int TURNS = Effort.of(7, 10);
    private static final int ASKED = 12;
    private static final int ANSWERED = 4;
    private static final int AT_ONCE = 4;
    private static final int[] SYSTEM = PlainReplicas.text(-1, 70);

    /** Blocks of slots that a conversation has at its end. */
    private static final int BLOCKS = 2;

    private record Outcome(List<int[]> conversations, long cachedTokens) {}

    private interface Turn {
        void begins(int turn);
    }

    private static Outcome converse(Engine engine, Turn listener) {
        List<int[]> said = new ArrayList<>(Collections.nCopies(CONVERSATIONS, SYSTEM));
        Random random = new Random(5);
        long cached = 0;
        for (int turn = 0; turn < TURNS; turn++) {
            listener.begins(turn);
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < CONVERSATIONS; i++) {
                order.add(i);
            }
            Collections.shuffle(order, random);
            for (int first = 0; first < CONVERSATIONS; first += AT_ONCE) {
                List<Integer> now = order.subList(first, first + AT_ONCE);
                List<Answer> answers = new ArrayList<>();
                for (int each : now) {
                    int[] words = PlainReplicas.text(each * 1000L + turn, ASKED);
                    said.set(each, PlainReplicas.join(said.get(each), words));
                    Answer answer = new Answer();
                    engine.submit(PlainReplicas.greedy(said.get(each), ANSWERED), answer);
                    answers.add(answer);
                }
                for (int i = 0; i < now.size(); i++) {
                    int[] answer =
                            answers.get(i).await().stream().mapToInt(Integer::intValue).toArray();
                    said.set(now.get(i), PlainReplicas.join(said.get(now.get(i)), answer));
                    cached += answers.get(i).end().tokens().cached();
                }
            }
        }
        return new Outcome(said, cached);
    }

    private static Outcome infinite() {
        EngineOptions sizes = PlainReplicas.options(AT_ONCE, (CONVERSATIONS + 8) * BLOCKS);
        try (EngineCore engine =
                EngineCore.start(
                        new ShardPipeline(List.of(new PlainReplicas.Shard(sizes))),
                        PlainReplicas.MODEL.shape(),
                        sizes)) {
            return converse(engine, turn -> {});
        }
    }

    private static void assertSame(Outcome expected, Outcome found) {
        for (int i = 0; i < CONVERSATIONS; i++) {
            assertEquals(
                    List.of(box(expected.conversations().get(i))),
                    List.of(box(found.conversations().get(i))),
                    "conversation " + i);
        }
    }

    private static List<Integer> box(int[] tokens) {
        return java.util.Arrays.stream(tokens).boxed().toList();
    }

    @Test
    void twoReplicasHitLikeOneServerAndLoseNothingOnAKill() {
        Outcome infinite = infinite();
        // Each holds three fifths of the conversations.
        PlainReplicas replicas =
                new PlainReplicas(PlainReplicas.options(AT_ONCE, CONVERSATIONS * BLOCKS * 3 / 5));

        try (EnginePool pool = replicas.pool(2)) {
            Outcome whole = converse(pool, turn -> {});

            assertSame(infinite, whole);
            double share = (double) whole.cachedTokens() / infinite.cachedTokens();
            assertTrue(share >= 0.9, "share of the hits: " + share);
        }

        try (EnginePool pool = replicas.pool(2)) {
            Outcome killed =
                    converse(
                            pool,
                            turn -> {
                                if (turn == 5) {
                                    replicas.shard(2).trap(batch -> pool.restart(0));
                                }
                            });

            assertSame(infinite, killed);
            assertTrue(pool.status().replicas().getFirst().moves().restarts() > 0);
        }
    }
}
