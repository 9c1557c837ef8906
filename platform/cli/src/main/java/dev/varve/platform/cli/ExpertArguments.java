package dev.varve.platform.cli;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.TensorRule;
import dev.varve.platform.placement.TensorRules;
import dev.varve.platform.setting.Setting;

import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Options that place the experts of layers on another device than the layers. */
final class ExpertArguments {
    private static final String OVERRIDE = "--override-tensor";
    private static final String EXPERTS = "--expert-device";
    private static final String CPU_LAYERS = "--n-cpu-moe";

    @Option(
            names = {"-cmoe", "--cpu-moe"},
            description =
                    "Keep all experts in the processor's memory. They are computed there; all else"
                            + " stays on the device of the layer.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = OptionSections.DEVICES + 3)
    private boolean cpuMoe;

    @Option(
            names = {"-ncmoe", CPU_LAYERS},
            paramLabel = "N",
            description = "Keep the experts of the first N layers in the processor's memory.",
            order = OptionSections.DEVICES + 3)
    private Optional<Integer> cpuMoeLayers = Optional.empty();

    @Option(
            names = EXPERTS,
            paramLabel = "DEVICE[=N|SHARE]",
            description =
                    "Device of the experts of all layers, of the next N, or of a share such as 0.5."
                            + " Repeatable.",
            order = OptionSections.DEVICES + 3)
    private List<String> expertDevices = new ArrayList<>();

    @Option(
            names = {"-ot", OVERRIDE},
            paramLabel = "REGEX=DEVICE",
            description =
                    "Device of the experts' matrices whose names contain a match. For example"
                        + " 'blk\\.[0-9]\\.ffn_up_exps=cpu:0'. Repeatable, or separated by commas;"
                        + " the first that matches counts, before the other options for experts.",
            order = OptionSections.DEVICES + 3)
    private List<String> overrides = new ArrayList<>();

    /**
     * Returns the rules, those for names first.
     *
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    TensorRules rules() {
        List<TensorRule> rules = new ArrayList<>();
        overrides.forEach(text -> rules.addAll(parse(OVERRIDE, text, TensorRule::parseNamed)));
        cpuMoeLayers
                .filter(ExpertArguments::isPositive)
                .ifPresent(count -> rules.add(first(count)));
        expertDevices.forEach(text -> rules.add(parse(EXPERTS, text, TensorRule::parseExperts)));
        if (cpuMoe) {
            rules.add(
                    new TensorRule.Experts(
                            Setting.CPU_MOE,
                            new TensorRule.Layers.All(),
                            DeviceReference.PROCESSOR));
        }
        return new TensorRules(rules);
    }

    private static TensorRule first(int count) {
        return new TensorRule.Experts(
                Setting.N_CPU_MOE, new TensorRule.Layers.First(count), DeviceReference.PROCESSOR);
    }

    private static boolean isPositive(int count) {
        if (count < 0) {
            throw new IllegalArgumentException(CPU_LAYERS + ": expected 0 or more, found " + count);
        }
        return count > 0;
    }

    private static <T> T parse(String flag, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(flag + ": " + e.getMessage(), e);
        }
    }
}
