package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.OperatorSample;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.speculation.TreeOptions;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Compares each ggml operator that the models record, with the operands that it has there, with the
 * same operator on the processor. Each operator is computed alone, so that the error of one is not
 * blamed on another.
 */
final class OperatorChecks {
    private static final int ROWS = 8;
    private static final int PREFIX = 24;
    private static final int DRAFTED_TOKENS = 16;

    private final CheckSetup setup;
    private final DeviceReference device;

    /** Kind of a batch: its graphs have other shapes than those of others. */
    private enum Recording {
        ONE_SEQUENCE("one sequence"),
        SEVERAL_SEQUENCES("8 sequences"),
        DRAFT_TOKENS("draft tokens");

        private final String text;

        Recording(String text) {
            this.text = text;
        }
    }

    /** Errors of an operator with operands of some types. */
    private static final class Errors {
        private final double bound;
        private int shapes;
        private double worst;
        private String where = "";

        Errors(double bound) {
            this.bound = bound;
        }

        void add(OperatorSample sample, double error) {
            shapes++;
            if (shapes == 1 || error > worst) {
                worst = error;
                where = sample.shapes();
            }
        }

        Verdict verdict() {
            String found =
                    String.format(
                            Locale.ROOT,
                            worst <= bound ? "%.1e in %d shapes" : "%.1e in one of %d shapes, %s",
                            worst,
                            shapes,
                            where);
            return Verdict.of(
                    worst <= bound, String.format(Locale.ROOT, "error up to %.0e", bound), found);
        }
    }

    OperatorChecks(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device;
    }

    /** Checks that record the operators of a model, and compare them. */
    List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        for (CheckedModel model : setup.models()) {
            for (Recording kind : Recording.values()) {
                if (kind == Recording.DRAFT_TOKENS && model.draft().isEmpty()) {
                    continue;
                }
                Map<String, Errors> errors = new TreeMap<>();
                checks.add(
                        new Check(
                                CheckGroup.OPERATORS,
                                model.name() + " operators, " + kind.text,
                                Check.USUAL,
                                () -> record(model, kind, errors),
                                () -> details(model, kind, errors)));
            }
        }
        return checks;
    }

    /** Results of the operators that differ, and of the others if everything is checked. */
    private Map<String, Verdict> details(
            CheckedModel model, Recording kind, Map<String, Errors> errors) {
        Map<String, Verdict> details = new LinkedHashMap<>();
        errors.forEach(
                (name, each) -> {
                    Verdict verdict = each.verdict();
                    if (setup.isFull() || verdict.status().isFault()) {
                        details.put(model.name() + " " + name + ", " + kind.text, verdict);
                    }
                });
        return details;
    }

    private Verdict record(CheckedModel model, Recording kind, Map<String, Errors> errors)
            throws InterruptedException {
        RecordingDevice.Known known = new RecordingDevice.Known(setup.steps());
        try (ComputeDevice processor = setup.open(DeviceReference.PROCESSOR)) {
            OperatorReference reference =
                    new OperatorReference(processor, device.equals(DeviceReference.PROCESSOR));
            RecordingDevice.Sink sink =
                    (sample, found) -> {
                        double error = reference.error(sample, found);
                        // Draft models may compute in other threads than their target.
                        synchronized (errors) {
                            errors.computeIfAbsent(
                                            name(sample), _ -> new Errors(ErrorBounds.of(sample)))
                                    .add(sample, error);
                        }
                    };
            record(model, kind, opened -> new RecordingDevice(opened, processor, known, sink));
        }
        return summary(errors, known.avoided());
    }

    private void record(CheckedModel model, Recording kind, UnaryOperator<ComputeDevice> recording)
            throws InterruptedException {
        if (kind == Recording.DRAFT_TOKENS) {
            draft(model, recording);
            return;
        }
        try (ComputeDevice recorded = recording.apply(setup.open(device));
                CheckedShard shard =
                        CheckedShard.load(
                                setup.open(model),
                                recorded,
                                ROWS,
                                WeightLayout.AS_IN_FILE,
                                BatchInvariance.AUTO)) {
            run(shard, kind);
        }
    }

    /** Generates some tokens with a draft model. */
    private void draft(CheckedModel model, UnaryOperator<ComputeDevice> recording)
            throws InterruptedException {
        CheckSetup recorded =
                setup.with(RecordingBackend.replace(setup.catalog(), device.backend(), recording));
        try (HostedModel opened =
                HostedModel.open(
                        DecodingChecks.settings(recorded, model, device, TreeOptions.OFF))) {
            GreedyRun.of(
                    opened.engine(),
                    GreedyRun.request(ModelRun.text(opened, PREFIX), DRAFTED_TOKENS));
        }
    }

    private static Verdict summary(Map<String, Errors> errors, int avoided) {
        if (errors.isEmpty()) {
            return Verdict.skipped(
                    avoided == 0
                            ? "no operators were recorded"
                            : "each of the " + avoided + " operators ended a process");
        }
        List<String> wrong =
                errors.entrySet().stream()
                        .filter(each -> each.getValue().worst > each.getValue().bound)
                        .map(Map.Entry::getKey)
                        .toList();
        return Verdict.of(
                wrong.isEmpty(),
                "the results of the processor",
                (wrong.isEmpty() ? describe(errors) : "differs in " + String.join(", ", wrong))
                        + (avoided == 0 ? "" : "; without " + avoided + " that ended a process"));
    }

    private static String describe(Map<String, Errors> errors) {
        int shapes = errors.values().stream().mapToInt(each -> each.shapes).sum();
        Map.Entry<String, Errors> largest =
                errors.entrySet().stream()
                        .max(Comparator.comparingDouble(each -> each.getValue().worst))
                        .orElseThrow();
        return String.format(
                Locale.ROOT,
                "%d operators in %d shapes, error up to %.1e (%s)",
                errors.size(),
                shapes,
                largest.getValue().worst,
                largest.getKey());
    }

    private static String name(OperatorSample sample) {
        String types =
                String.join(
                        " ",
                        sample.operandTypes().stream()
                                .filter(type -> type != GgmlType.F32)
                                .map(GgmlType::ggufName)
                                .distinct()
                                .toList());
        String result = sample.type() == GgmlType.F32 ? "" : " to " + sample.type().ggufName();
        return sample.name() + (types.isEmpty() ? "" : " " + types) + result;
    }

    private void run(CheckedShard shard, Recording kind) {
        int[] text = shard.tokens(setup.isFull() ? 300 : 100, 1);
        int first = setup.isFull() ? 200 : 70;
        switch (kind) {
            case ONE_SEQUENCE -> {
                int last = text.length - 1;
                shard.run(Phase.PREFILL, CheckedShard.Step.of(0, text, 0, first));
                shard.run(Phase.PREFILL, CheckedShard.Step.of(0, text, first, last));
                shard.run(Phase.DECODE, CheckedShard.Step.of(0, text, last, last + 1));
            }
            case SEVERAL_SEQUENCES -> {
                CheckedShard.Step[] steps = new CheckedShard.Step[ROWS];
                for (int i = 0; i < ROWS; i++) {
                    shard.run(Phase.PREFILL, CheckedShard.Step.of(i, text, 0, PREFIX + i));
                    steps[i] = CheckedShard.Step.of(i, text, PREFIX + i, PREFIX + i + 1);
                }
                shard.run(Phase.DECODE, steps);
            }
            case DRAFT_TOKENS -> throw new IllegalArgumentException("records a whole engine");
        }
    }
}
