package dev.varve.platform.cli;

import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Values of an option or parameter that a shell offers.
 *
 * @param kind what the value is
 * @param words values, of kinds that have some
 */
record CompletedValue(Kind kind, List<String> words) {
    /** Devices of the plugins that come with Varve, by their backends. */
    private static final List<String> DEVICES =
            List.of("auto:0", "cpu:0", "cuda:0", "hip:0", "vulkan:0");

    /** Kinds of values. */
    enum Kind {
        /** One of the words. */
        VALUES,
        /** Some of the words, separated by commas. */
        LIST,
        /** A demo model, a downloaded model or a file. */
        MODEL,
        /** A downloaded model. */
        HUB,
        /** A file, or one of the words. */
        FILE,
        FOLDER,
        /** A text or number. */
        OTHER,
        /** The option has no value. */
        NONE;

        /** Returns the name in the scripts. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static CompletedValue of(ArgSpec argument) {
        if (argument.arity().max() == 0) {
            return new CompletedValue(Kind.NONE, List.of());
        }
        List<String> values = OptionHelp.values(argument);
        String label = argument.paramLabel();
        if (ModelReference.class.isAssignableFrom(argument.auxiliaryTypes()[0])) {
            boolean isFile = label.contains("FILE");
            return new CompletedValue(isFile ? Kind.MODEL : Kind.HUB, List.of());
        }
        if (label.startsWith("DEVICE")) {
            return new CompletedValue(Kind.VALUES, DEVICES);
        }
        if (argument instanceof OptionSpec option
                && option.longestName().equals("--target-devices")) {
            return new CompletedValue(Kind.LIST, DEVICES);
        }
        if (label.contains("FILE")) {
            return new CompletedValue(Kind.FILE, withDrafter(argument, values));
        }
        if (label.equals("FOLDER") || label.equals("DIR")) {
            return new CompletedValue(Kind.FOLDER, List.of());
        }
        return new CompletedValue(values.isEmpty() ? Kind.OTHER : Kind.VALUES, values);
    }

    private static List<String> withDrafter(ArgSpec argument, List<String> values) {
        List<String> words = new ArrayList<>(values);
        if (argument instanceof OptionSpec option && option.longestName().endsWith("drafter")) {
            words.add("demo:drafter");
        }
        return words;
    }
}
