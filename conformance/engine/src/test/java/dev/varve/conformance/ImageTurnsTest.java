package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.image.EncoderPace;
import dev.varve.platform.shard.image.LocalImageEncoder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Clients with images beside streams of text, on one device. */
@Timeout(300)
class ImageTurnsTest {
    private static final int STREAMS = 4;
    private static final int CLIENTS = 8;

    /** Turns of the encoder for an image after each of which every stream gets a token. */
    private static final int TURNS = 8;

    private static final int CONTEXT = 2_400;
    private static final int LONG = 2_000;
    private static final int COMPARED = 60;
    private static final int ANSWER = 12;

    private static ModelSettings settings() {
        ModelSettings settings = Cpu.settings(CONTEXT, STREAMS + CLIENTS, Cpu.F16);
        return settings.with(settings.computation().with(BatchInvariance.ON));
    }

    private static LoadedModel load() {
        return Cpu.load(VisionGolden.model("text-qwen35"), settings());
    }

    private static LocalImageEncoder encoder() {
        return VisionGolden.encoder("qwen3vl", new EncoderPace(1, Duration.ZERO));
    }

    private static Answer stream(int number, int count) {
        int[] prompt = IntStream.range(0, 20).map(i -> 40 + (7 * i + 3 * number) % 60).toArray();
        return Answer.of(prompt, count, SamplingOptions.greedy());
    }

    /** Counts the tokens of the streams, and lets the encoder wait for one more of each. */
    private static final class Pulse {
        private final AtomicInteger[] tokens =
                IntStream.range(0, STREAMS)
                        .mapToObj(i -> new AtomicInteger())
                        .toArray(AtomicInteger[]::new);
        private final Phaser changes = new Phaser(1);

        void add(int stream) {
            tokens[stream].incrementAndGet();
            changes.arrive();
        }

        /** Waits without the device: a step that needs the encoder's end never comes. */
        void awaitNext() {
            int[] before = Arrays.stream(tokens).mapToInt(AtomicInteger::get).toArray();
            int phase = changes.getPhase();
            while (IntStream.range(0, STREAMS).anyMatch(i -> tokens[i].get() <= before[i])) {
                try {
                    phase = changes.awaitAdvanceInterruptibly(phase, 60, TimeUnit.SECONDS);
                } catch (InterruptedException | TimeoutException e) {
                    throw new AssertionError("no token between two parts of an image", e);
                }
            }
        }
    }

    private static ImagePrompt prompt(LocalImageEncoder encoder, Runnable eachTurn)
            throws IOException {
        ImageEncoder facts = encoder.encoder();
        AtomicInteger turns = new AtomicInteger();
        return ImagePrompt.read(
                "text-qwen35--qwen3vl--one",
                facts,
                image ->
                        encoder.encode(
                                VisionGolden.pixels(image, facts.input()),
                                () -> {
                                    if (turns.getAndIncrement() < TURNS) {
                                        eachTurn.run();
                                    }
                                    return false;
                                }));
    }

    private static int[] answered(Engine engine, ImagePrompt prompt) throws Exception {
        Answer answer = Answer.to(prompt.prompt(), ANSWER);
        answer.submit(engine);
        return answer.tokens();
    }

    @Test
    void streamsHaveTokensBetweenThePartsOfImages() throws Exception {
        List<int[]> plain = new ArrayList<>();
        int[] seen;
        try (LoadedModel model = load();
                LocalImageEncoder encoder = encoder()) {
            for (int i = 0; i < STREAMS; i++) {
                Answer alone = stream(i, COMPARED);
                alone.submit(model.engine());
                plain.add(alone.tokens());
            }
            seen = answered(model.engine(), prompt(encoder, () -> {}));
            assertTrue(encoder.turns() > TURNS, encoder.turns() + " turns");
        }
        try (LoadedModel model = load();
                LocalImageEncoder encoder = encoder();
                ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            Pulse pulse = new Pulse();
            List<Answer> streams = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                int number = i;
                Answer stream = stream(i, LONG);
                IntStream.rangeClosed(1, LONG)
                        .forEach(token -> stream.atToken(token, () -> pulse.add(number)));
                stream.submit(model.engine());
                streams.add(stream);
            }
            List<Future<int[]>> answers = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                answers.add(
                        clients.submit(
                                () -> answered(model.engine(), prompt(encoder, pulse::awaitNext))));
            }
            for (Future<int[]> answer : answers) {
                assertArrayEquals(seen, answer.get());
            }
            assertEquals(0, encoder.turns() % CLIENTS, "equal images have equal parts");
            for (int i = 0; i < STREAMS; i++) {
                int[] tokens = streams.get(i).soFar();
                assertTrue(tokens.length > CLIENTS * TURNS, tokens.length + " tokens");
                assertArrayEquals(plain.get(i), Arrays.copyOf(tokens, COMPARED));
                streams.get(i).cancel();
            }
        }
    }
}
