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
            int exact = 1;
            for (int count : BATCHES) {
                if (isEqual(shard, steps.subList(0, count), alone)) {
                    exact = count;
                } else {
                    break;
                }
            }
            return verdict(mode, exact, besideChunk(shard, steps, alone));
        }
    }

    private static boolean isEqual(
            CheckedShard shard, List<CheckedShard.Step> steps, List<float[]> alone) {
        List<float[]> found = shard.run(Phase.DECODE, steps.toArray(CheckedShard.Step[]::new));
        for (int i = 0; i < found.size(); i++) {
            if (!Arrays.equals(alone.get(i), found.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether rows and a chunk in one batch have the bits that they have alone. */
    private static boolean besideChunk(
            CheckedShard shard, List<CheckedShard.Step> steps, List<float[]> alone) {
        CheckedShard.Step chunk =
                CheckedShard.Step.of(REQUESTS, shard.tokens(CHUNK, 99), 0, CHUNK).repeatable();
        List<float[]> chunkAlone = shard.run(Phase.PREFILL, chunk);
        List<float[]> both = shard.run(Phase.PREFILL, steps.get(0), steps.get(1), chunk);
        boolean equal =
                Arrays.equals(both.get(0), alone.get(0))
                        && Arrays.equals(both.get(1), alone.get(1));
        for (int i = 0; i < CHUNK; i++) {
            equal &= Arrays.equals(both.get(2 + i), chunkAlone.get(i));
        }
        return equal;
    }

    private Verdict verdict(BatchInvariance mode, int exact, boolean besideChunk) {
        int guaranteed = mode == BatchInvariance.ON ? REQUESTS : GUARANTEED;
        String found =
                (exact == 1 ? "other bits in batches" : "the same bits in up to " + exact + " rows")
                        + (besideChunk ? ", and beside a chunk" : ", other bits beside a chunk");
        return isProcessor()
                ? Verdict.of(
                        exact >= guaranteed && besideChunk,
                        "the same bits in up to " + guaranteed + " rows, and beside a chunk",
                        found)
                : Verdict.ok("no guarantee", found);
    }
}
