package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;

class DraftCodecTest {
    private static final int HIDDEN = 3;
    private static final int VOCABULARY = 100;
    private static final DraftCodec CODEC = new DraftCodec(List.of(1, 4), HIDDEN, VOCABULARY);

    private static final List<DraftStep.SequenceDraftRequest> ASKS =
            List.of(
                    new DraftStep.SequenceDraftRequest(7, 12, 99, 3, 0),
                    new DraftStep.SequenceDraftRequest(-1, 1, 0, 15, 0));

    /** Two of four columns; all values differ. */
    private static HiddenStates states() {
        float[] first = new float[4 * HIDDEN];
        float[] second = new float[4 * HIDDEN];
        for (int i = 0; i < first.length; i++) {
            first[i] = i + 0.5f;
            second[i] = -i / 3f;
        }
        return new HiddenStates(
                7,
                10,
                2,
                List.of(new HiddenStates.Layer(1, first, 1), new HiddenStates.Layer(4, second, 2)));
    }

    private static DraftStep step() {
        return new DraftStep(
                List.of(
                        new DraftStep.Event.Reset(5),
                        new DraftStep.Event.TokensComputed(states()),
                        new DraftStep.Event.Reset(6)),
                ASKS);
    }

    @Test
    void stepRoundTrips() {
        DraftStep found = CODEC.decode(CODEC.encode(step()));

        assertEquals(ASKS, found.requests());
        assertEquals(new DraftStep.Event.Reset(5), found.events().getFirst());
        assertEquals(new DraftStep.Event.Reset(6), found.events().getLast());
        HiddenStates states = ((DraftStep.Event.TokensComputed) found.events().get(1)).states();
        assertEquals(7, states.sequence());
        assertEquals(10, states.firstPosition());
        assertEquals(2, states.tokens());
        assertArrayEquals(
                new float[] {3.5f, 4.5f, 5.5f, 6.5f, 7.5f, 8.5f}, states.layers().get(0).values());
        assertEquals(0, states.layers().get(1).firstColumn());
        assertEquals(-6 / 3f, states.layers().get(1).values()[0]);
    }

    @Test
    void draftTokensRoundTrip() {
        List<Draft> drafts = List.of(new Draft(new int[] {1, 99, 0}, 3), Draft.NONE);

        List<Draft> found = CODEC.decode(ASKS, CODEC.encode(drafts));

        assertArrayEquals(drafts.get(0).tokens(), found.get(0).tokens());
        assertEquals(3, found.get(0).grade());
        assertEquals(0, found.get(1).tokens().length);
    }

    @Test
    void treesRoundTrip() {
        List<DraftStep.SequenceDraftRequest> asks =
                List.of(new DraftStep.SequenceDraftRequest(1, 5, 3, 2, 4));
        Draft tree = new Draft(new int[] {1, 2, 3, 4}, new int[] {-1, 0, -1, 2}, 1);

        DraftStep step = CODEC.decode(CODEC.encode(new DraftStep(List.of(), asks)));
        Draft found = CODEC.decode(asks, CODEC.encode(List.of(tree))).getFirst();

        assertEquals(asks, step.requests());
        assertArrayEquals(tree.tokens(), found.tokens());
        assertArrayEquals(tree.parents(), found.parents());
        assertEquals(2, found.spine());
        List<DraftStep.SequenceDraftRequest> odd =
                List.of(new DraftStep.SequenceDraftRequest(1, 5, 3, 2, 1));
        Message message = CODEC.encode(new DraftStep(List.of(), odd));
        WireException refusal = assertThrows(WireException.class, () -> CODEC.decode(message));
        assertEquals("branched: expected 0, or 2 or more, found 1", refusal.getMessage());
    }

    @Test
    void onlyDraftTokensThatFitTheRequestAreAccepted() {
        assertRefused("drafts", List.of(Draft.of(1)));
        assertRefused("guesses", List.of(Draft.of(1, 2, 3, 4), Draft.NONE));
        assertRefused("guess:", List.of(Draft.of(1, VOCABULARY), Draft.NONE));
        assertRefused("guess:", List.of(Draft.of(-1), Draft.NONE));
    }

    private static void assertRefused(String field, List<Draft> drafts) {
        Message reply = CODEC.encode(drafts);
        WireException refusal =
                assertThrows(WireException.class, () -> CODEC.decode(ASKS, reply), field);
        assertTrue(refusal.getMessage().contains(field), refusal.getMessage());
    }

    @Test
    void truncatedOrExcessStatesAreRefused() {
        Message whole = CODEC.encode(step());
        ByteBuffer bytes = whole.payload();
        ByteBuffer more = ByteBuffer.allocate(bytes.remaining() + 4).put(bytes).rewind();
        ByteBuffer less = whole.payload().limit(bytes.limit() - 4).slice();

        for (ByteBuffer payload : List.of(more, less)) {
            Message other = new Message(MessageType.DRAFT, whole.meta(), payload);
            WireException refusal = assertThrows(WireException.class, () -> CODEC.decode(other));
            assertTrue(refusal.getMessage().contains("hidden states"), refusal.getMessage());
        }
    }

    /** Whatever comes, it is a step or it is refused. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void corruptedBytesAreDecodedOrRefused(long seed) {
        Random random = new Random(seed);
        Message whole = CODEC.encode(step());
        for (int round = 0; round < 5000; round++) {
            ByteBuffer meta = ByteBuffer.allocate(whole.meta().remaining()).put(whole.meta());
            for (int spoilt = random.nextInt(1, 4); spoilt > 0; spoilt--) {
                meta.put(random.nextInt(meta.capacity()), (byte) random.nextInt());
            }
            meta.rewind()
                    .limit(
                            random.nextInt(4) == 0
                                    ? random.nextInt(meta.capacity())
                                    : meta.capacity());
            Message other =
                    new Message(
                            MessageType.DRAFT,
                            meta.order(ByteOrder.LITTLE_ENDIAN),
                            whole.payload());
            try {
                DraftStep step = CODEC.decode(other);
                assertTrue(step.requests().size() <= 1 << 10);
            } catch (WireException e) {
                assertTrue(e.getMessage().contains("expected"), e.getMessage());
            }
        }
    }
}
