package dev.varve.platform.check;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.WeightLayout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Compares logits and greedy tokens of the models, whole on the device and split, with those of the
 * processor.
 */
final class ModelChecks {
    private static final int CONTEXT = 128;
    private static final String PROCESS = "@process";

    private final CheckSetup setup;
    private final String device;

    /** Runs of the processor, by model. */
    private final Map<String, ModelRun> expected = new HashMap<>();

    ModelChecks(CheckSetup setup, DeviceReference device) {
        this.setup = setup;
        this.device = device.toString();
    }

    List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        for (CheckedModel model : setup.models()) {
            for (String devices : arrangements()) {
                checks.add(
                        new Check(
                                CheckGroup.MODELS,
                                model.name() + " on " + devices,
                                () -> run(model, devices)));
            }
        }
        return checks;
    }

    private Set<String> arrangements() {
        Set<String> arrangements = new LinkedHashSet<>();
        arrangements.add(device);
        arrangements.add(CheckSetup.PROCESSOR + "," + device);
        arrangements.add(device + "," + CheckSetup.PROCESSOR);
        arrangements.add(device + "," + device);
        arrangements.add(CheckSetup.PROCESSOR + "," + device + PROCESS);
        return arrangements;
    }

    private Verdict run(CheckedModel model, String devices) throws InterruptedException {
        if (devices.endsWith(PROCESS) && !setup.startsProcesses()) {
            return Verdict.skipped("no launcher for shard processes");
        }
        ModelRun wanted = expected(model);
        ModelRun found = ModelRun.of(setup.settings(model, devices, ModelSettings.single(CONTEXT)));
        double error = wanted.worstError(found);
        GreedyRun.Agreement greedy =
                wanted.greedy().compare(found.greedy(), wanted.largestDifference(found));
        return Verdict.of(
                error <= ErrorBounds.LOGITS && greedy.acceptable(),
                String.format(Locale.ROOT, "error of logits up to %.0e", ErrorBounds.LOGITS),
                String.format(Locale.ROOT, "%.1e, %s", error, greedy.text()));
    }

    /** Weights as in the file, so that the processor's own repacking is checked, too. */
    private ModelRun expected(CheckedModel model) throws InterruptedException {
        ModelRun known = expected.get(model.name());
        if (known == null) {
            ModelSettings settings = ModelSettings.single(CONTEXT);
            known =
                    ModelRun.of(
                            setup.settings(
                                    model,
                                    CheckSetup.PROCESSOR,
                                    settings.with(
                                            settings.computation().with(WeightLayout.AS_IN_FILE))));
            expected.put(model.name(), known);
        }
        return known;
    }
}
