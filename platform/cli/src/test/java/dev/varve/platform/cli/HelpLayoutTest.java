package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The help of all commands, on a terminal of 80 columns. */
class HelpLayoutTest {
    private static final int COLUMNS = 80;

    /** Two lines beside the names of options. */
    private static final int SUMMARY = 108;

    /** One line beside the names of commands. */
    private static final int COMMAND_SUMMARY = 66;

    /** Values in the spelling of Java: durations, constants and objects. */
    private static final Pattern JAVA =
            Pattern.compile("PT\\d.*|[A-Z]+(_[A-Z]+)*|Optional.*|\\S+@[0-9a-f]+|\\[.*|null");

    static List<CommandLine> commands() {
        CommandLine root = FlagsDocumentTest.commands();
        return Stream.concat(Stream.of(root), root.getSubcommands().values().stream())
                .distinct()
                .toList();
    }

    private static List<OptionSpec> options(CommandLine command) {
        return command.getCommandSpec().options().stream().filter(each -> !each.hidden()).toList();
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String words(String text) {
        return text.replaceAll("\\s+", " ");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void noLineIsLongerThanTheTerminal(CommandLine command) {
        List<String> longer =
                command.getUsageMessage()
                        .lines()
                        .filter(line -> line.codePointCount(0, line.length()) > COLUMNS)
                        .toList();

        assertEquals(List.of(), longer, command.getCommandSpec().qualifiedName());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void eachOptionHasItsWholeSummaryWithUnbrokenValues(CommandLine command) {
        String help = words(command.getUsageMessage());

        for (OptionSpec option : options(command)) {
            String entry = words(OptionHelp.names(option) + " " + OptionHelp.of(option).summary());
            assertTrue(help.contains(entry), entry);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void summariesAreShortSentences(CommandLine command) {
        for (OptionSpec option : options(command)) {
            String summary = OptionHelp.of(option).summary();
            assertTrue(
                    summary.length() <= SUMMARY,
                    () -> name(option) + ": " + summary.length() + ": " + summary);
            assertTrue(summary.endsWith("."), () -> name(option) + ": " + summary);
        }
        String first = command.getCommandSpec().usageMessage().description()[0];
        String sentence = OptionHelp.sentence(OptionHelp.plain(first));
        boolean isRoot = command.getParent() == null;
        assertTrue(isRoot || sentence.length() <= COMMAND_SUMMARY, sentence);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void defaultsAreShownOnceAsAUserWritesThem(CommandLine command) {
        assertFalse(command.getUsageMessage().contains("Default:"));
        for (OptionSpec option : options(command)) {
            OptionHelp help = OptionHelp.of(option);
            assertEquals(
                    -1, help.description().indexOf("(default"), () -> name(option) + ": " + help);
            assertFalse(
                    help.defaultText().filter(each -> JAVA.matcher(each).matches()).isPresent(),
                    () -> name(option) + ": " + help);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void valuesAreInLowerCaseAndTheDefaultIsOneOfThem(CommandLine command) {
        for (OptionSpec option : options(command)) {
            List<String> values = OptionHelp.values(option);
            OptionHelp help = OptionHelp.of(option);
            assertTrue(
                    values.stream().noneMatch(each -> JAVA.matcher(each).matches()),
                    () -> name(option) + ": " + values);
            if (values.size() > 1
                    && help.isDefaultValue()
                    && option.paramLabel().matches("[a-z0-9|-]+")) {
                help.defaultText()
                        .ifPresent(
                                each ->
                                        assertTrue(
                                                values.contains(each),
                                                () -> name(option) + ": " + each + values));
            }
        }
    }

    @Test
    void memoryAndPrefixCacheAreSectionsOfTheirOwn() {
        CommandLine serve = FlagsDocumentTest.commands().getSubcommands().get("serve");
        List<String> headings =
                serve.getUsageMessage().lines().filter(line -> line.matches("[A-Z].*:")).toList();

        assertEquals(
                List.of(
                        "Options:",
                        "Server:",
                        "Sampling:",
                        "Reasoning:",
                        "Devices:",
                        "Memory and threads:",
                        "Prefix cache:",
                        "Bounded attention cache (KV Flash):",
                        "Speculative decoding:",
                        "Image input:",
                        "Embeddings:",
                        "Prompt compression:",
                        "Shards in other processes and on other hosts:",
                        "Rarely needed:",
                        "General:",
                        "Examples:"),
                headings);
        OptionSections.of(serve.getHelp())
                .forEach(
                        (heading, options) ->
                                options.forEach(
                                        option ->
                                                assertEquals(
                                                        option.longestName()
                                                                        .matches(
                                                                                "--(kv-cache|shared-cache|cache-(ram|key)).*")
                                                                && !option.longestName()
                                                                        .equals("--kv-cache-store"),
                                                        heading.equals("Prefix cache:"),
                                                        option.longestName())));
    }

    @ParameterizedTest
    @CsvSource({"PT30S, 30s", "PT0.5S, 500ms", "PT2M, 2m", "PT90S, 90s", "PT24H, 24h"})
    void durationsAreFormattedAsTheyAreParsed(String time, String text) {
        assertEquals(text, DurationConverter.format(Duration.parse(time)));
        assertEquals(Duration.parse(time), new DurationConverter().convert(text));
    }
}
