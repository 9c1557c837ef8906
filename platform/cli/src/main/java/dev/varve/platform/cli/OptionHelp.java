package dev.varve.platform.cli;

import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Texts of an option or parameter for people, as the user writes values. Help, manual pages and
 * docs/flags.md show them.
 *
 * @param description sentences, without the default
 * @param defaultText the default, if there is one: a value, or words in parentheses in the source
 * @param isDefaultValue whether the default is a value that the option accepts
 */
record OptionHelp(String description, Optional<String> defaultText, boolean isDefaultValue) {
    private static final String DEFAULT = " (default: ";

    /** End of a sentence: the next one begins with a capital letter, a value or a flag. */
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.)])\\s+(?=\\S)");

    private static final Pattern ABBREVIATION = Pattern.compile(".*\\b(e\\.g|i\\.e|etc)\\.");

    /** Words of a label that are values; other labels are names of values. */
    private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9_-]*");

    static OptionHelp of(ArgSpec argument) {
        String text = plain(String.join(" ", argument.description()));
        Optional<String> written = writtenDefault(text);
        String rest = written.map(each -> text.replace(DEFAULT + each + ")", "")).orElse(text);
        Optional<String> value = value(argument);
        return new OptionHelp(
                rest, written.or(() -> value), written.isEmpty() || written.equals(value));
    }

    /** Returns the first sentence, with the default before its full stop. */
    String summary() {
        String sentence = sentence(description);
        return defaultText
                .map(each -> sentence.replaceFirst("\\.$", "") + DEFAULT + each + ").")
                .orElse(sentence);
    }

    /** Returns all sentences, the first one with the default. */
    String full() {
        return summary() + description.substring(sentence(description).length());
    }

    /** Returns the first sentence of a text. */
    static String sentence(String text) {
        Matcher end = SENTENCE_END.matcher(text);
        while (end.find()) {
            String sentence = text.substring(0, end.start());
            if (sentence.endsWith(".") && !ABBREVIATION.matcher(sentence).matches()) {
                return sentence;
            }
        }
        return text;
    }

    /** Returns a text of the help without its markup. */
    static String plain(String text) {
        return Help.Ansi.OFF.string(String.format(Locale.ROOT, text));
    }

    /** Returns the names of an option with its label, such as {@code -m, --model FILE}. */
    static String names(OptionSpec option) {
        String label =
                option.arity().max() == 0
                        ? ""
                        : option.arity().min() == 0
                                ? "[=" + option.paramLabel() + "]"
                                : " " + option.paramLabel();
        return String.join(", ", option.names()) + label;
    }

    /** Returns the values that an argument accepts, if they are few. */
    static List<String> values(ArgSpec argument) {
        Class<?> type = argument.auxiliaryTypes()[0];
        if (type.isEnum() && argument.converters().length == 0) {
            return Arrays.stream(type.getEnumConstants())
                    .map(each -> word((Enum<?>) each))
                    .toList();
        }
        if (argument.completionCandidates() != null) {
            List<String> values = new ArrayList<>();
            argument.completionCandidates().forEach(values::add);
            return values;
        }
        Stream<String> labels = Arrays.stream(argument.paramLabel().split("\\|"));
        return argument.paramLabel().contains("|")
                ? labels.filter(each -> WORD.matcher(each).matches()).toList()
                : List.of();
    }

    private static Optional<String> value(ArgSpec argument) {
        if (argument.showDefaultValue() == Visibility.NEVER || argument.typeInfo().isBoolean()) {
            return Optional.empty();
        }
        if (argument.defaultValue() != null) {
            return Optional.of(argument.defaultValue()).filter(each -> !each.isEmpty());
        }
        return switch (argument.initialValue()) {
            case Enum<?> each -> Optional.of(word(each));
            case Duration each -> Optional.of(DurationConverter.format(each));
            case Number each -> Optional.of(each.toString());
            case null, default -> Optional.empty();
        };
    }

    /** Returns a constant as the user writes it. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the words of a set of constants, as an enumeration. */
    static String words(Enum<?>... constants) {
        return Arrays.stream(constants).map(OptionHelp::word).collect(Collectors.joining(", "));
    }

    /** Returns the default that a description names in parentheses. */
    private static Optional<String> writtenDefault(String description) {
        int begin = description.indexOf(DEFAULT);
        if (begin < 0) {
            return Optional.empty();
        }
        int from = begin + DEFAULT.length();
        int open = 1;
        for (int at = from; at < description.length(); at++) {
            open += description.charAt(at) == '(' ? 1 : description.charAt(at) == ')' ? -1 : 0;
            if (open == 0) {
                return Optional.of(description.substring(from, at));
            }
        }
        return Optional.empty();
    }
}
