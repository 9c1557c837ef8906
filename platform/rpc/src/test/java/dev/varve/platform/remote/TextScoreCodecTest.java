package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.local.LocalImportanceScorer;
import dev.varve.platform.shard.scoring.BlockSelectionRule;
import dev.varve.platform.shard.scoring.SparseAttention;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Consumer;

class TextScoreCodecTest {
    private static final int LAYERS = 4;
    private static final int TAIL = 3;
    private static final int VOCABULARY = 100;
    private static final TextScoreCodec CODEC = new TextScoreCodec(VOCABULARY, TAIL);

    static TextScorerLoadRequest load(
            LayerRange layers,
            int tail,
            boolean rotated,
            LocalImportanceScorer.Residency residency) {
        return new TextScorerLoadRequest(
                new ShardLoadRequest.Model(
                        "m.gguf",
                        "ab",
                        Optional.of("cd"),
                        new ShardLoadRequest.ModelDimensions("qwen3", LAYERS, 128, VOCABULARY),
                        ModelOptions.defaults()),
                new LayerMajorImportanceScorer.ScoringOptions(layers, tail, rotated),
                residency,
                new ShardLoadRequest.Device(
                        "cpu:0", new DeviceOptions(OptionalInt.of(2), OptionalInt.empty(), true)));
    }

    private static TextScorerLoadRequest load() {
        return load(new LayerRange(1, LAYERS), TAIL, true, LocalImportanceScorer.Residency.AUTO);
    }

    @ParameterizedTest
    @EnumSource
    void loadRoundTrips(LocalImportanceScorer.Residency residency) {
        TextScorerLoadRequest request = load(new LayerRange(0, 2), 8, false, residency);

        assertEquals(request, TextScorerLoadRequest.decode(request.encode()));
        assertEquals(load(), TextScorerLoadRequest.decode(load().encode()));
        TextScorerLoadRequest sparse = sparse(0.25, 3, 7);
        assertEquals(sparse, TextScorerLoadRequest.decode(sparse.encode()));
    }

    static TextScorerLoadRequest sparse(double alpha, int sinks, int leastTokens) {
        TextScorerLoadRequest plain = load();
        LayerMajorImportanceScorer.ScoringOptions options =
                new LayerMajorImportanceScorer.ScoringOptions(
                        plain.options().layers(),
                        TAIL,
                        true,
                        Optional.of(
                                new SparseAttention(
                                        new BlockSelectionRule(alpha, sinks, 5, 6), leastTokens)));
        return new TextScorerLoadRequest(plain.model(), options, plain.residency(), plain.device());
    }

    /** Places of the numbers of sparse attention, counted from the end, and what is put there. */
    @ParameterizedTest
    @CsvSource({
        "28, 8, 'alpha: expected more than 0 and less than 1, found 1.0'",
        "20, 4, 'sinks: expected 0 to 2147483647, found -1'",
        "16, 4, 'window: expected 1 to 2147483647, found -1'",
        "12, 4, 'full blocks: expected 0 to 2147483647, found -1'",
        "8, 4, 'least tokens: expected 1 to 2147483647, found -1'"
    })
    void invalidAttentionSettingsAreRefused(int fromEnd, int size, String reason) {
        Message message = sparse(0.25, 3, 7).encode();
        byte[] meta = new byte[message.meta().remaining()];
        message.meta().duplicate().get(meta);
        ByteBuffer bytes = ByteBuffer.wrap(meta).order(ByteOrder.LITTLE_ENDIAN);
        if (size == Double.BYTES) {
            bytes.putDouble(meta.length - fromEnd, 1);
        } else {
            bytes.putInt(meta.length - fromEnd, -1);
        }

        assertRefused(
                reason,
                () ->
                        TextScorerLoadRequest.decode(
                                Message.of(
                                        MessageType.LOAD_SCAN,
                                        ByteBuffer.wrap(meta).order(ByteOrder.LITTLE_ENDIAN))));
    }

    /** Layers that look, and how many tokens do. */
    @ParameterizedTest
    @CsvSource({
        "0, 5, 3, 'end layer that looks: expected 1 to 4, found 5'",
        "4, 5, 3, 'first layer that looks: expected 0 to 3, found 4'",
        "0, 4, 0, 'tail: expected 1 to 1024, found 0'",
        "0, 4, 1025, 'tail: expected 1 to 1024, found 1025'",
        "0, 4, -1, 'tail: expected 1 to 1024, found -1'"
    })
    void invalidLoadIsRefused(int begin, int end, int tail, String reason) {
        Message message =
                load(new LayerRange(begin, end), tail, true, LocalImportanceScorer.Residency.AUTO)
                        .encode();

        assertRefused(reason, () -> TextScorerLoadRequest.decode(message));
    }

    @Test
    void textRoundTrips() {
        int[] tokens = {0, 99, 7, 7, 42};

        assertArrayEquals(tokens, CODEC.decode(CODEC.encode(tokens)));
    }

    @Test
    void scoresRoundTripBitwise() {
        float[] scores = {0, -0f, 1, Float.MIN_VALUE, 0.1f};

        float[] found = CODEC.decode(5, CODEC.encode(scores));

        for (int i = 0; i < scores.length; i++) {
            assertEquals(
                    Float.floatToRawIntBits(scores[i]), Float.floatToRawIntBits(found[i]), "" + i);
        }
    }

    @Test
    void tokensOutsideTheVocabularyAreRefused() {
        assertRefused(
                "token: expected 0 to 99, found 100",
                () -> CODEC.decode(CODEC.encode(new int[] {1, 2, VOCABULARY})));
        assertRefused(
                "token: expected 0 to 99, found -1",
                () -> CODEC.decode(CODEC.encode(new int[] {-1, 2, 3})));
    }

    @Test
    void tokenCountIsBetweenQueriesAndTheLimit() {
        assertRefused(
                "tokens: expected 3 to 4194304, found 2",
                () -> CODEC.decode(CODEC.encode(new int[] {1, 2})));
        Message many = told(TextScoreCodec.MOST_TOKENS + 1, ByteBuffer.allocate(0));
        assertRefused("tokens: expected 3 to 4194304, found 4194305", () -> CODEC.decode(many));
    }

    @Test
    void moreQueriesNeedAShorterText() {
        TextScoreCodec many = new TextScoreCodec(VOCABULARY, 1024);

        assertRefused(
                "tokens: expected 1024 to 32768, found 32769",
                () -> many.decode(told(32_769, ByteBuffer.allocate(0))));
    }

    /** Nothing is allocated for what is only promised. */
    @Test
    void textLengthMustMatchItsBytes() {
        Message promised = told(TextScoreCodec.MOST_TOKENS, ByteBuffer.allocate(12));
        Message more = told(3, ByteBuffer.allocate(16));

        assertRefused(
                "token ids: expected 16777216 bytes, found 12 bytes", () -> CODEC.decode(promised));
        assertRefused("token ids: expected 12 bytes, found 16 bytes", () -> CODEC.decode(more));
    }

    @Test
    void scoresOfAnotherTextAreRefused() {
        Message reply = CODEC.encode(new float[4]);

        assertRefused("scores: expected 5 to 5, found 4", () -> CODEC.decode(5, reply));
        assertRefused(
                "scores: expected 20 bytes, found 16 bytes",
                () -> CODEC.decode(5, told(5, ByteBuffer.allocate(16))));
    }

    private static Message told(int count, ByteBuffer payload) {
        return new Message(MessageType.SCAN, new FieldWriter().number(count).done(), payload);
    }

    private static void assertRefused(String reason, Runnable reading) {
        WireException refusal = assertThrows(WireException.class, reading::run, reason);
        assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
        assertEquals(reason, refusal.getMessage());
    }

    /** Whatever comes, it is what it says, or it is refused. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void corruptedBytesAreDecodedOrRefused(long seed) {
        Random random = new Random(seed);
        spoil(
                random,
                CODEC.encode(new int[] {1, 2, 3, 4, 5, 6, 7}),
                message -> {
                    for (int token : CODEC.decode(message)) {
                        assertTrue(token >= 0 && token < VOCABULARY, "token " + token);
                    }
                });
        spoil(
                random,
                CODEC.encode(new float[] {1, 2, 3}),
                message -> assertEquals(3, CODEC.decode(3, message).length));
        spoil(
                random,
                load().encode(),
                message -> {
                    TextScorerLoadRequest found = TextScorerLoadRequest.decode(message);
                    assertTrue(
                            found.options().layers().end() <= found.model().shape().layers(),
                            found.toString());
                    assertTrue(found.options().tail() >= 1, found.toString());
                });
    }

    private static void spoil(Random random, Message whole, Consumer<Message> reading) {
        for (int round = 0; round < 5000; round++) {
            Message other =
                    new Message(
                            whole.type(),
                            spoilt(random, whole.meta()),
                            spoilt(random, whole.payload()));
            try {
                reading.accept(other);
            } catch (WireException e) {
                assertEquals(WireErrorCode.INVALID_REQUEST, e.code());
                assertTrue(e.getMessage().contains("expected"), e.getMessage());
            }
        }
    }

    private static ByteBuffer spoilt(Random random, ByteBuffer whole) {
        ByteBuffer bytes = ByteBuffer.allocate(whole.remaining()).put(whole);
        for (int spoilt = random.nextInt(3); spoilt > 0 && bytes.capacity() > 0; spoilt--) {
            bytes.put(random.nextInt(bytes.capacity()), (byte) random.nextInt());
        }
        boolean cut = bytes.capacity() > 0 && random.nextInt(4) == 0;
        bytes.rewind().limit(cut ? random.nextInt(bytes.capacity()) : bytes.capacity());
        return bytes.order(ByteOrder.LITTLE_ENDIAN);
    }
}
