package dev.varve.platform.cli;

import dev.varve.platform.plugin.NearestName;

import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rewrites picocli's messages in the form of Varve's own: the flag, what was expected, and what was
 * found. An unknown flag or command is followed by the most similar known one.
 */
final class UsageMessage {
    private static final Pattern NUMBER = Pattern.compile("'(.*)' is not an? (int|long|double)");
    private static final Pattern SWITCH = Pattern.compile("'(.*)' is not a boolean");
    private static final Pattern WORD =
            Pattern.compile("expected one of \\[(.*)] \\(case-insensitive\\) but was '(.*)'");

    /** Picocli's messages, and their groups in our form. */
    private static final Map<Pattern, Function<MatchResult, String>> FORMS =
            Map.of(
                    Pattern.compile("Invalid value for option '(\\S+)'(?: \\([^)]*\\))?: (.*)"),
                    m -> m.group(1) + ": " + value(m.group(2)),
                    Pattern.compile(
                            "Invalid value for positional parameter at index \\S+ \\((.*?)\\):"
                                    + " (.*)"),
                    m -> m.group(1) + ": " + value(m.group(2)),
                    Pattern.compile("option '(\\S+)'.* should be specified only once"),
                    m -> m.group(1) + ": expected once, found twice",
                    Pattern.compile("Missing required parameter for option '(\\S+)' \\((.*)\\)"),
                    m -> m.group(1) + ": expected " + m.group(2) + ", found nothing",
                    Pattern.compile("Expected parameter for option '(\\S+)' but found '(.*)'"),
                    m -> m.group(1) + ": expected a value, found " + m.group(2),
                    Pattern.compile("Missing required (?:option|parameter)s?: (.*)"),
                    m -> "expected " + m.group(1).replace("'", "") + ", found none",
                    Pattern.compile(
                            "Missing required argument \\(specify one of these\\): \\((.*)\\)"),
                    m -> "expected one of " + m.group(1).replace(" | ", ", ") + ", found none",
                    Pattern.compile("(.*) are mutually exclusive \\(specify only one\\)"),
                    m -> m.group(1) + ": expected only one of them, found several");

    private UsageMessage() {}

    /** Returns the message about a command line that could not be parsed. */
    static String of(ParameterException problem) {
        if (problem instanceof UnmatchedArgumentException unmatched) {
            return unknown(unmatched.getCommandLine(), unmatched.getUnmatched().getFirst());
        }
        String text = problem.getMessage().replaceFirst("^Error: ", "");
        return FORMS.entrySet().stream()
                .flatMap(form -> rewrite(form.getKey(), text, form.getValue()).stream())
                .findFirst()
                .orElse(text);
    }

    private static Optional<String> rewrite(
            Pattern pattern, String text, Function<MatchResult, String> form) {
        Matcher matcher = pattern.matcher(text);
        return matcher.matches() ? Optional.of(form.apply(matcher)) : Optional.empty();
    }

    private static String value(String text) {
        return rewrite(NUMBER, text, m -> number(m.group(1), m.group(2)))
                .or(() -> rewrite(SWITCH, text, m -> "expected no value, found " + m.group(1)))
                .or(
                        () ->
                                rewrite(
                                        WORD,
                                        text,
                                        m ->
                                                "expected one of "
                                                        + m.group(1).toLowerCase(Locale.ROOT)
                                                        + ", found "
                                                        + m.group(2)))
                .orElse(text);
    }

    private static String number(String found, String type) {
        String expected =
                switch (type) {
                    case "double" -> "a number";
                    default ->
                            found.matches("-?\\d+")
                                    ? "a whole number of at most " + Integer.MAX_VALUE
                                    : "a whole number";
                };
        return "expected " + expected + ", found " + found;
    }

    private static String unknown(CommandLine command, String found) {
        boolean flag = found.startsWith("-");
        if (!flag && command.getSubcommands().isEmpty()) {
            return "unexpected argument " + found;
        }
        String name = found.replaceFirst("=.*", "");
        return (flag ? "unknown flag " : "unknown command ")
                + name
                + NearestName.of(name, flag ? flags(command) : commands(command))
                        .map(known -> "; did you mean " + known + "?")
                        .orElse("");
    }

    private static List<String> flags(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> List.of(option.names()).stream())
                .filter(name -> name.startsWith("--"))
                .sorted()
                .toList();
    }

    private static List<String> commands(CommandLine command) {
        return command.getSubcommands().entrySet().stream()
                .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }
}
