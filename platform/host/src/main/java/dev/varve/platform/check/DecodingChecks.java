package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.host.DraftPlacement;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.speculation.TreeOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.Callable;

/**
 * Checks that draft tokens and token trees do not change a response, that paging chooses the tokens
 * that it chooses on the processor, and that a sequence continues on another device.
 */
final class DecodingChecks {
    private static final int PROMPT = 32;
    private static final int GENERATED = 48;

    /** On a software renderer, which takes a second or more for a step. */
    private static final int RENDERED = 12;

    /** Draft tokens of a step: with the known one, the widest step of most kernels for few rows. */
    private static final int DRAFTS = 7;

    private static final int POOL = 512;
    private static final int PAGED_CONTEXT = 2048;
    private static final int PAGED_PROMPT = 1200;
    private static final int RENDERED_PROMPT = 700;

    /** Length of a snapshot; windows of the demo models have dropped tokens then. */
    private static final int SNAPSHOT = 160;

    private static final int REST = 24;

    private final CheckSetup setup;
    private final DeviceReference device;
    private final int generated;
    private final int pagedPrompt;

    /**
     * @param renders whether the device is a software renderer, for which texts are shorter
     */
    DecodingChecks(CheckSetup setup, DeviceReference device, boolean renders) {
        this.setup = setup;
        this.device = device;
        generated = renders ? RENDERED : GENERATED;
        pagedPrompt = renders ? RENDERED_PROMPT : PAGED_PROMPT;
    }

    List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        for (CheckedModel model : setup.models()) {
            boolean some = setup.isFull() || model.equals(setup.models().getFirst());
            if (some) {
                checks.add(check(model, "with draft tokens", () -> drafts(model, TreeOptions.OFF)));
                checks.add(
                        check(
                                model,
                                "with token trees",
                                () -> drafts(model, new TreeOptions(TreeOptions.USUAL, true))));
                checks.add(check(model, "with a paged cache", () -> paged(model)));
            }
            checks.add(check(model, "snapshot to the processor", () -> moved(model, true)));
            checks.add(check(model, "snapshot from the processor", () -> moved(model, false)));
        }
        return checks;
    }

    private static Check check(CheckedModel model, String what, Callable<Verdict> body) {
        return new Check(CheckGroup.DECODING, model.name() + " " + what, body);
    }

    /** With exact rows, a processor computes a verified token as it computes it alone. */
    private static ModelSettings exact(ModelSettings settings) {
        return settings.with(settings.computation().with(BatchInvariance.ON));
    }

    /** Settings of a model with its draft model on a device. */
    static HostSettings settings(
            CheckSetup setup, CheckedModel model, DeviceReference device, TreeOptions trees) {
        DraftSettings draft =
                new DraftSettings(
                        model.draft().orElseThrow().toString(),
                        OptionalInt.empty(),
                        trees.draftTokens() > 0 ? OptionalInt.empty() : OptionalInt.of(DRAFTS),
                        trees,
                        DraftPlacement.USUAL);
        return setup.settings(
                        model,
                        device.toString(),
                        exact(ModelSettings.single(2 * (PROMPT + GENERATED))))
                .with(draft);
    }

    private Verdict drafts(CheckedModel model, TreeOptions trees) throws InterruptedException {
        if (model.draft().isEmpty()) {
            return Verdict.skipped("no draft model");
        }
        HostSettings settings = settings(setup, model, device, trees);
        try (HostedModel opened = HostedModel.open(settings)) {
            GenerationRequest request = GreedyRun.request(ModelRun.text(opened, PROMPT), generated);
            GreedyRun plain = GreedyRun.of(opened.engine(), request.drafting(0));
            GreedyRun drafted = GreedyRun.of(opened.engine(), request);
            GenerationEnd.Speculation counts = drafted.end().speculation();
            GreedyRun.Agreement agreement = plain.compare(drafted, tolerance());
            return Verdict.of(
                    agreement.acceptable() && counts.drafted() > 0,
                    "the tokens without drafts",
                    String.format(
                            Locale.ROOT,
                            "%s, %d of %d draft tokens accepted",
                            agreement.text(),
                            counts.accepted(),
                            counts.drafted()));
        }
    }

    /** Two batches of other devices may round differently. */
    private double tolerance() {
        return device.equals(DeviceReference.PROCESSOR) ? 0 : ErrorBounds.CLOSE_LOGITS;
    }

    private Verdict paged(CheckedModel model) throws InterruptedException {
        GreedyRun expected = paged(model, CheckSetup.PROCESSOR);
        GreedyRun found = paged(model, device.toString());
        GreedyRun.Agreement agreement = expected.compare(found, tolerance());
        long pages = found.end().paging().orElseThrow().counts().pagesOut();
        return Verdict.of(
                agreement.acceptable() && pages > 0,
                "the tokens of the processor",
                agreement.text() + ", " + pages + " pages out");
    }

    private GreedyRun paged(CheckedModel model, String where) throws InterruptedException {
        HostSettings settings =
                setup.settings(model, where, exact(ModelSettings.single(PAGED_CONTEXT)))
                        .withPool(POOL);
        try (HostedModel opened = HostedModel.open(settings)) {
            return GreedyRun.of(
                    opened.engine(),
                    GreedyRun.request(ModelRun.text(opened, pagedPrompt), generated));
        }
    }

    /** Computes a prefix on one device, and the rest on another. */
    private Verdict moved(CheckedModel model, boolean toProcessor) {
        OpenedModel opened = setup.open(model);
        DeviceReference from = toProcessor ? device : DeviceReference.PROCESSOR;
        DeviceReference to = toProcessor ? DeviceReference.PROCESSOR : device;
        try (ComputeDevice first = setup.open(from);
                ComputeDevice second = setup.open(to);
                CheckedShard source = load(opened, first);
                CheckedShard target = load(opened, second)) {
            int[] text = source.tokens(SNAPSHOT + REST, 1);
            prefill(source, text);
            prefill(target, text);
            List<float[]> expected = rest(target, text);
            List<byte[]> snapshot = source.export(0, SNAPSHOT);
            // Other rows have to be replaced, not found.
            prefill(target, source.tokens(SNAPSHOT, 2));
            target.adopt(0, SNAPSHOT, snapshot);
            List<float[]> found = rest(target, text);
            double worst = 0;
            for (int row = 0; row < expected.size(); row++) {
                worst = Math.max(worst, RelativeError.of(expected.get(row), found.get(row)));
            }
            long bytes = snapshot.stream().mapToLong(part -> part.length).sum();
            return Verdict.of(
                    worst <= ErrorBounds.LOGITS,
                    String.format(Locale.ROOT, "error of logits up to %.0e", ErrorBounds.LOGITS),
                    String.format(Locale.ROOT, "%.1e, %d KiB", worst, bytes >> 10));
        }
    }

    private static CheckedShard load(OpenedModel model, ComputeDevice device) {
        return CheckedShard.load(model, device, 1, WeightLayout.REPACKED, BatchInvariance.AUTO);
    }

    private static void prefill(CheckedShard shard, int[] text) {
        for (int begin = 0; begin < SNAPSHOT; begin += SNAPSHOT / 2) {
            shard.run(Phase.PREFILL, CheckedShard.Step.of(0, text, begin, begin + SNAPSHOT / 2));
        }
    }

    private static List<float[]> rest(CheckedShard shard, int[] text) {
        return shard.run(
                Phase.PREFILL,
                CheckedShard.Step.of(0, text, SNAPSHOT, SNAPSHOT + REST).repeatable());
    }
}
