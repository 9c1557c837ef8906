package dev.varve.platform.placement;

import dev.varve.platform.setting.Setting;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Places some weights on a device. */
public sealed interface TensorRule {
    /** The setting that contains the rule. */
    Setting setting();

    /** The device, as a shard's process names it. */
    DeviceReference device();

    /**
     * Weights by name.
     *
     * @param names matched anywhere in the name of a tensor
     */
    record Named(Pattern names, DeviceReference device) implements TensorRule {
        @Override
        public Setting setting() {
            return Setting.OVERRIDE_TENSOR;
        }

        @Override
        public String toString() {
            return names + "=" + device;
        }
    }

    /** The matrices of the experts of some layers. */
    record Experts(Setting setting, Layers layers, DeviceReference device) implements TensorRule {
        /** Checks that nothing is missing. */
        public Experts {
            Objects.requireNonNull(setting);
            Objects.requireNonNull(layers);
            Objects.requireNonNull(device);
        }
    }

    /** Layers of a rule. */
    sealed interface Layers {
        /** All layers. */
        record All() implements Layers {}

        /** Layers 0 to {@code count - 1}, whether they have experts or not. */
        record First(int count) implements Layers {}

        /** The first layers with experts that no rule before has placed. */
        record Next(int count) implements Layers {}

        /**
         * The next layers with experts that no rule before has placed.
         *
         * @param share part of all layers with experts, above 0 and below 1; at least one layer
         */
        record NextShare(double share) implements Layers {}
    }

    /** Names that llama.cpp gives to the devices of backends. */
    Map<String, String> BACKENDS = Map.of("rocm", "hip");

    /** A name of llama.cpp, such as CPU or CUDA1. */
    Pattern LLAMA_NAME = Pattern.compile("([A-Za-z]+)([0-9]{0,4})");

    /**
     * Parses {@code REGEX=DEV} items that are separated by commas. An item without {@code =} is the
     * begin of an expression that contains a comma.
     *
     * @throws IllegalArgumentException if an item has another form or the expression does not
     *     compile
     */
    static List<TensorRule> parseNamed(String text) {
        List<TensorRule> rules = new ArrayList<>();
        String open = "";
        for (String item : text.split(",", -1)) {
            String whole = open.isEmpty() ? item : open + "," + item;
            int equals = whole.lastIndexOf('=');
            if (equals < 0) {
                open = whole;
                continue;
            }
            open = "";
            rules.add(
                    new Named(
                            expression(whole.substring(0, equals)),
                            device(whole.substring(equals + 1))));
        }
        if (!open.isEmpty() || rules.isEmpty()) {
            throw new IllegalArgumentException(
                    "expected REGEX=DEVICE, such as ffn_up_exps=cpu:0, found "
                            + (text.isEmpty() ? "nothing" : text));
        }
        return rules;
    }

    private static Pattern expression(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(
                    "expected an expression before =, such as ffn_up_exps=cpu:0, found nothing");
        }
        try {
            return Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    text
                            + ": "
                            + e.getDescription()
                            + (e.getIndex() >= 0 ? " at character " + e.getIndex() : ""),
                    e);
        }
    }

    /**
     * Parses {@code DEV}, {@code DEV=N} or {@code DEV=SHARE}: the experts of all remaining layers,
     * of the next N, or of a share of the layers such as 0.5.
     *
     * @throws IllegalArgumentException if it has another form
     */
    static TensorRule parseExperts(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            return new Experts(Setting.EXPERT_DEVICE, new Layers.All(), device(text));
        }
        return new Experts(
                Setting.EXPERT_DEVICE,
                next(text, text.substring(equals + 1)),
                device(text.substring(0, equals)));
    }

    private static Layers next(String text, String count) {
        if (count.matches("[1-9][0-9]{0,5}")) {
            return new Layers.Next(Integer.parseInt(count));
        }
        if (count.matches("0?\\.[0-9]{0,5}[1-9]")) {
            return new Layers.NextShare(Double.parseDouble(count));
        }
        throw new IllegalArgumentException(
                text
                        + ": expected a number of layers from 1 on or a share such as 0.5 after =,"
                        + " found "
                        + (count.isEmpty() ? "nothing" : count));
    }

    /**
     * Parses a device of the shard's process, by its own name or by that of llama.cpp.
     *
     * @throws IllegalArgumentException if it has another form, or names a process
     */
    static DeviceReference device(String text) {
        Matcher llama = LLAMA_NAME.matcher(text);
        String name = text;
        if (llama.matches()) {
            String backend = llama.group(1).toLowerCase(Locale.ROOT);
            name =
                    BACKENDS.getOrDefault(backend, backend)
                            + ":"
                            + (llama.group(2).isEmpty() ? "0" : llama.group(2));
        }
        DeviceReference device = DeviceReference.parse(name);
        if (!device.isLocal() || device.isAutomatic()) {
            throw new IllegalArgumentException(
                    text
                            + ": expected a device of the process that holds the layer, such as"
                            + " cpu:0");
        }
        return device;
    }
}
