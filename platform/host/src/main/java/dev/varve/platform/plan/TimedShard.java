package dev.varve.platform.plan;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;

/**
 * Measures a shard. Owns the shard. Every step gets other input, so that other experts are active.
 */
final class TimedShard implements AutoCloseable {
    /** KV slots that the steps need. */
    static final int SLOTS = StepTime.CHUNK;

    /** State rows that the steps need, the zero row included. */
    static final int STATE_ROWS = 2;

    private static final int STATE_ROW = 1;
    private static final int SHORT_CHUNK = 32;
    private static final int DECODE_WARM_UPS = 3;
    private static final int LEAST_DECODES = 7;
    private static final int MOST_DECODES = 120;
    private static final double DECODE_MILLIS = 200;
    private static final double LONGEST_CHUNK_MILLIS = 2500;
    private static final int PREFILLS = 3;

    /** Time after which the code of a step is mostly compiled. */
    private static final long WARM_UP_NANOS = 300_000_000L;

    private final Shard shard;
    private final LayerSplitAdapter model;
    private final Random random = new Random(20_261);
    private final int boundaryLength;

    TimedShard(Shard shard, LayerSplitAdapter model) {
        this.shard = shard;
        this.model = model;
        boundaryLength =
                shard.range().begin() == 0 ? 0 : model.boundaryLength(shard.range().begin());
    }

    /**
     * Runs short steps for a while, so that the code of steps is compiled: in small models it takes
     * longer than the device until then.
     */
    void warmUp() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < WARM_UP_NANOS) {
            double ignored = step(0, SHORT_CHUNK);
            for (int i = 0; i < SHORT_CHUNK; i++) {
                ignored = decode(SHORT_CHUNK + i, 1);
            }
        }
    }

    /** Measures a step of decode and a chunk of prefill. */
    StepTime measure() {
        double early = shortestDecodeMillis();
        double prefill = prefillMillis();
        // Other load only adds time; two measurements at different times are less affected.
        return new StepTime(Math.min(early, shortestDecodeMillis()), prefill);
    }

    /** Measures a step of decode alone. */
    double decodeMillis() {
        return Math.min(shortestDecodeMillis(), shortestDecodeMillis());
    }

    /** Measures how much longer a step with so many tokens takes than a step with one token. */
    double checkRatio(int tokens) {
        double single = decodeMillis();
        double checked = Math.min(shortestDecodeMillis(tokens), shortestDecodeMillis(tokens));
        return checked / Math.min(single, shortestDecodeMillis());
    }

    /** Measures one token behind a short prompt. */
    private double shortestDecodeMillis() {
        return shortestDecodeMillis(1);
    }

    /**
     * Measures a step with several tokens of a sequence, each with logits, behind a short prompt.
     */
    private double shortestDecodeMillis(int tokens) {
        step(0, SHORT_CHUNK);
        int position = SHORT_CHUNK;
        for (int i = 0; i < DECODE_WARM_UPS; i++) {
            decode(position, tokens);
            position += tokens;
        }
        List<Double> times = new ArrayList<>();
        double sum = 0;
        while (times.size() < LEAST_DECODES
                || (sum < DECODE_MILLIS
                        && times.size() < MOST_DECODES
                        && position + tokens <= SLOTS)) {
            double time = decode(position, tokens);
            position += tokens;
            times.add(time);
            sum += time;
        }
        return BlockBenchmark.lowQuantile(times);
    }

    private double decode(int position, int tokens) {
        return step(position, tokens, Phase.DECODE, RequestedOutput.BEST_EACH);
    }

    /** Measures a whole chunk; on a slow device a part of it, scaled up. */
    private double prefillMillis() {
        double first = step(0, SHORT_CHUNK);
        double expected = Math.min(first, step(0, SHORT_CHUNK)) * StepTime.CHUNK / SHORT_CHUNK;
        if (expected > 2 * LONGEST_CHUNK_MILLIS) {
            return expected;
        }
        // The first run initialises its buffers; a slow one may have been disturbed.
        double best = step(0, StepTime.CHUNK);
        double sum = best;
        for (int run = 1;
                run < PREFILLS && (sum < LONGEST_CHUNK_MILLIS / 2 || best > 1.3 * expected);
                run++) {
            double time = step(0, StepTime.CHUNK);
            best = Math.min(best, time);
            sum += time;
        }
        return best;
    }

    private double step(int position, int tokens) {
        return step(position, tokens, Phase.PREFILL, RequestedOutput.BEST);
    }

    private double step(int position, int tokens, Phase phase, RequestedOutput outputs) {
        int[] ids = random.ints(tokens, 0, model.shape().vocabularySize()).toArray();
        SequenceChunk chunk =
                new SequenceChunk(
                        0,
                        ids,
                        ChunkPlacement.next(position, new KvSlotSpan(0, SLOTS), STATE_ROW),
                        outputs);
        Optional<LayerActivations> boundary =
                boundaryLength == 0
                        ? Optional.empty()
                        : Optional.of(new HostActivations(activation(tokens), tokens));
        Batch batch = new Batch(List.of(chunk), phase);
        long begin = System.nanoTime();
        try {
            shard.forward(batch, boundary).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof VarveException failure ? failure : e;
        }
        return (System.nanoTime() - begin) / 1e6;
    }

    private float[] activation(int tokens) {
        float[] values = new float[Math.multiplyExact(boundaryLength, tokens)];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat(-1.7f, 1.7f);
        }
        return values;
    }

    @Override
    public void close() {
        shard.close();
    }
}
