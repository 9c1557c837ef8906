package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.WeightLayout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;

/**
 * Checks that concurrent requests do not change a response: its tokens, and the bits of its logits
 * where docs/numerics.md guarantees them.
 */
final class BatchChecks {
    private static final int REQUESTS = 8;
    private static final int GENERATED = 16;
    private static final int CONTEXT = 128;

    /** Rows up to which all types of weights have their bits without exact rows. */
    private static final int GUARANTEED = 4;

    /** Tokens of a prompt's chunk beside rows. */
    private static final int CHUNK = 32;

    private static final int[] BATCHES = {2, 4, 8};

    private final CheckSetup setup;
    private final DeviceReference device;

    BatchChecks(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device;
    }

    List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        for (CheckedModel model : setup.models()) {
            boolean some = setup.isFull() || model.equals(setup.models().getFirst());
            if (some) {
                checks.add(check(model, REQUESTS + " requests at once", () -> requests(model)));
            }
            for (BatchInvariance mode :
                    new BatchInvariance[] {BatchInvariance.AUTO, BatchInvariance.ON}) {
                if (some || mode == BatchInvariance.ON) {
                    checks.add(
                            check(
                                    model,
                                    "exact rows " + mode.name().toLowerCase(Locale.ROOT),
                                    () -> rows(model, mode)));
                }
            }
        }
        return checks;
    }

    private static Check check(CheckedModel model, String what, Callable<Verdict> body) {
        return new Check(CheckGroup.BATCHES, model.name() + " " + what, body);
    }

    private boolean isProcessor() {
        return device.equals(DeviceReference.PROCESSOR);
    }

    private Verdict requests(CheckedModel model) throws InterruptedException {
        ModelSettings settings = ModelSettings.of(SequenceLimits.of(CONTEXT, REQUESTS));
        try (HostedModel opened =
                HostedModel.open(
                        setup.settings(
                                model,
                                device.toString(),
                                settings.with(settings.computation().with(BatchInvariance.ON))))) {
            int[] text = ModelRun.text(opened, REQUESTS * 4 + CHUNK);
            List<GenerationRequest> requests = new ArrayList<>();
            List<GreedyRun> alone = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                requests.add(
                        GreedyRun.request(
                                Arrays.copyOfRange(text, 4 * i, 5 * i + CHUNK / 2), GENERATED));
                alone.add(GreedyRun.of(opened.engine(), requests.get(i)));
            }
            return compare(alone, GreedyRun.of(opened.engine(), requests));
        }
    }

    private Verdict compare(List<GreedyRun> alone, List<GreedyRun> together) {
        double tolerance = isProcessor() ? 0 : ErrorBounds.CLOSE_LOGITS;
        int equal = 0;
        String wrong = "";
        for (int i = 0; i < REQUESTS; i++) {
            GreedyRun.Agreement each = alone.get(i).compare(together.get(i), tolerance);
            equal += Arrays.equals(alone.get(i).tokens(), together.get(i).tokens()) ? 1 : 0;
            wrong = each.acceptable() || !wrong.isEmpty() ? wrong : i + ": " + each.text();
        }
        return Verdict.of(
                wrong.isEmpty(),
                "the tokens of each request alone",
                wrong.isEmpty()
                        ? equal + " of " + REQUESTS + " have the same tokens"
                        : "request " + wrong);
    }

    private Verdict rows(CheckedModel model, BatchInvariance mode) {
        try (ComputeDevice opened = setup.open(device);
                CheckedShard shard =
                        CheckedShard.load(
                                setup.open(model),
                                opened,
                                REQUESTS + 1,
                                WeightLayout.REPACKED,
                                mode)) {
            List<CheckedShard.Step> steps = new ArrayList<>();
            List<float[]> alone = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                int length = 16 + 3 * i;
                int[] text = shard.tokens(length + 1, i);
                shard.run(Phase.PREFILL, CheckedShard.Step.of(i, text, 0, length));
                steps.add(CheckedShard.Step.of(i, text, length, length + 1).repeatable());
                alone.addAll(shard.run(Phase.DECODE, steps.get(i)));
            }
            Map<Integer, Deviation> batches = new TreeMap<>();
            for (int count : BATCHES) {
                batches.put(count, inBatch(shard, steps.subList(0, count), alone));
            }
            return verdict(mode, batches, besideChunk(shard, steps, alone));
        }
    }

    /**
     * How logits of a batch differ from those of each row alone.
     *
     * @param same whether all have the same bits
     * @param largest largest difference; {@link Double#MAX_VALUE} or more if a logit is not finite
     */
    private record Deviation(boolean same, double largest) {
        static final Deviation NONE = new Deviation(true, 0);

        Deviation and(float[] alone, float[] found) {
            return new Deviation(
                    same && Arrays.equals(alone, found),
                    Math.max(largest, RelativeError.largestDifference(alone, found)));
        }

        Deviation and(Deviation other) {
            return new Deviation(same && other.same, Math.max(largest, other.largest));
        }
    }

    private static Deviation inBatch(
            CheckedShard shard, List<CheckedShard.Step> steps, List<float[]> alone) {
        List<float[]> found = shard.run(Phase.DECODE, steps.toArray(CheckedShard.Step[]::new));
        Deviation deviation = Deviation.NONE;
        for (int i = 0; i < found.size(); i++) {
            deviation = deviation.and(alone.get(i), found.get(i));
        }
        return deviation;
    }

    /** Compares rows and a chunk in one batch with each alone. */
    private static Deviation besideChunk(
            CheckedShard shard, List<CheckedShard.Step> steps, List<float[]> alone) {
        CheckedShard.Step chunk =
                CheckedShard.Step.of(REQUESTS, shard.tokens(CHUNK, 99), 0, CHUNK).repeatable();
        List<float[]> chunkAlone = shard.run(Phase.PREFILL, chunk);
        List<float[]> both = shard.run(Phase.PREFILL, steps.get(0), steps.get(1), chunk);
        Deviation deviation =
                Deviation.NONE.and(alone.get(0), both.get(0)).and(alone.get(1), both.get(1));
        for (int i = 0; i < CHUNK; i++) {
            deviation = deviation.and(chunkAlone.get(i), both.get(2 + i));
        }
        return deviation;
    }

    /** Largest batch that has the same bits, as all smaller ones. */
    private static int exact(Map<Integer, Deviation> batches) {
        int exact = 1;
        for (Map.Entry<Integer, Deviation> batch : batches.entrySet()) {
            if (!batch.getValue().same()) {
                break;
            }
            exact = batch.getKey();
        }
        return exact;
    }

    private Verdict verdict(
            BatchInvariance mode, Map<Integer, Deviation> batches, Deviation chunk) {
        int guaranteed = mode == BatchInvariance.ON ? REQUESTS : GUARANTEED;
        int exact = exact(batches);
        boolean besideChunk = chunk.same();
        String found =
                (exact == 1 ? "other bits in batches" : "the same bits in up to " + exact + " rows")
                        + (besideChunk ? ", and beside a chunk" : ", other bits beside a chunk");
        if (isProcessor()) {
            return Verdict.of(
                    exact >= guaranteed && besideChunk,
                    "the same bits in up to " + guaranteed + " rows, and beside a chunk",
                    found);
        }
        double largest = batches.values().stream().reduce(chunk, Deviation::and).largest();
        return Verdict.of(
                largest <= ErrorBounds.CLOSE_LOGITS,
                "logits that differ by up to " + ErrorBounds.CLOSE_LOGITS,
                found
                        + (largest < Double.MAX_VALUE
                                ? String.format(Locale.ROOT, ", by up to %.2g", largest)
                                : ", and logits that are not finite"));
    }
}
