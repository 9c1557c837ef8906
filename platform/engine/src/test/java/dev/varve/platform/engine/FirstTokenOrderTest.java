package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.model.LayerRange;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/** Tests that the first token of a prompt does not wait for the speculator. */
@Timeout(60)
class FirstTokenOrderTest {
    private static final int MOST = 3;

    /** Prompt of the first turn, in chunks that end at the checkpoint and at the end. */
    private static final int FIRST_TURN = 200;

    private static final int CHECKPOINT = 190;
    private static final PlainModel MODEL = PlainEngine.model(true);

    /** Features, proposals and tokens, in the order in which the engine delivered them. */
    private final List<String> received = Collections.synchronizedList(new ArrayList<>());

    /** Records what it receives, and proposes no token. */
    private final class Recorder implements Speculator {
        private final List<Integer> captures;

        Recorder(List<Integer> captures) {
            this.captures = captures;
        }

        @Override
        public List<Integer> captures() {
            return captures;
        }

        @Override
        public int mostTokens() {
            return MOST;
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            received.add("propose after " + sequences.getFirst().tokens().size());
            return List.of(Draft.NONE);
        }

        @Override
        public void observe(HiddenStates states) {
            int end = states.firstPosition() + states.tokens();
            received.add("features " + states.firstPosition() + " to " + end);
        }

        @Override
        public void forget(long sequence) {
            // The tests read only features, proposals and tokens.
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }

    /** Records the tokens that it receives. */
    private final class Client extends Collected {
        @Override
        public boolean onToken(GeneratedToken token) {
            received.add("token");
            return super.onToken(token);
        }
    }

    private EngineCore engine() {
        List<Integer> captures =
                IntStream.rangeClosed(0, MODEL.shape().layerCount()).boxed().toList();
        EngineOptions options =
                PlainEngine.withHost(
                        new EngineOptions(
                                new EngineOptions.Capacity(
                                        CONTEXT,
                                        1,
                                        new KvCacheConfig(
                                                2 * CONTEXT,
                                                EngineOptions.Capacity.rowsFor(1),
                                                new RollbackBufferSizes(1, 1 + MOST))),
                                64),
                        MODEL,
                        64 << 20);
        PlainShard.Sizes plain = PlainEngine.sizes(options);
        PlainShard shard =
                new PlainShard(
                        MODEL,
                        new LayerRange(0, MODEL.shape().layerCount()),
                        new PlainShard.Sizes(
                                plain.slots(),
                                plain.stateRows(),
                                captures,
                                plain.rollbackBuffers()));
        return EngineCore.start(
                new ShardPipeline(List.of(shard)),
                MODEL.shape(),
                options,
                Optional.of(
                        new SpeculationOptions(
                                new Recorder(captures), MOST, OptionalInt.of(MOST))));
    }

    private int[] ask(EngineCore engine, int[] prompt, int checkpoint) throws Exception {
        Client client = new Client();
        engine.submit(Collected.request(prompt, checkpoint, 3), client);
        return client.await().stream().mapToInt(Integer::intValue).toArray();
    }

    @Test
    void featuresOfAPromptFollowItsFirstToken() throws Exception {
        try (EngineCore engine = engine()) {
            ask(engine, PlainEngine.text(1, FIRST_TURN), CHECKPOINT);
        }

        assertEquals(
                List.of("token", "features 0 to 190", "features 190 to 200", "propose after 201"),
                received.subList(0, 4));
    }

    @Test
    void storedFeaturesOfAResumedPrefixFollowTheFirstToken() throws Exception {
        try (EngineCore engine = engine()) {
            int[] prompt = PlainEngine.text(1, FIRST_TURN);
            int[] answer = ask(engine, prompt, CHECKPOINT);
            int[] next = PlainEngine.join(prompt, answer);
            int[] more = PlainEngine.join(next, PlainEngine.text(2, 30));
            received.clear();

            ask(engine, more, next.length + 20);
        }

        assertEquals("token", received.getFirst(), received::toString);
        List<String> features = received.subList(1, received.indexOf("propose after 234"));
        assertEquals("features 0 to 64", features.getFirst(), features::toString);
        assertEquals("features 223 to 233", features.getLast(), features::toString);
        assertEquals(features.size(), Set.copyOf(features).size(), features::toString);
    }

    /** Only the features of one chunk wait, since they are on the heap. */
    @Test
    void featuresOfALongPromptWaitForOneChunkOnly() throws Exception {
        try (EngineCore engine = engine()) {
            ask(engine, PlainEngine.text(1, 700), 690);
        }

        assertEquals(
                List.of("features 0 to 512", "token", "features 512 to 690"),
                received.subList(0, 3));
    }
}
