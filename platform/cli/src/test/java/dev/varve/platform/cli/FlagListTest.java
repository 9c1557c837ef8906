package dev.varve.platform.cli;

import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Commands and flags are public: a checked-in list shows each change of them. */
class FlagListTest {
    @Test
    void commandLineHasTheseFlags() {
        CommandLine root = FlagsDocumentTest.commands();

        GeneratedFile.of("platform/cli/src/test/resources/dev/varve/platform/cli/flags.txt")
                .check(
                        Stream.concat(Stream.of(root), root.getSubcommands().values().stream())
                                .distinct()
                                .flatMap(FlagListTest::lines)
                                .sorted()
                                .collect(Collectors.joining("\n", "", "\n")));
    }

    private static Stream<String> lines(CommandLine command) {
        String name = command.getCommandSpec().qualifiedName();
        String hidden = command.getCommandSpec().usageMessage().hidden() ? " hidden" : "";
        return Stream.concat(
                Stream.of(name + hidden),
                Stream.concat(
                                command.getCommandSpec().options().stream(),
                                command.getCommandSpec().positionalParameters().stream())
                        .map(each -> name + " " + line(each)));
    }

    private static String line(ArgSpec argument) {
        String names =
                argument instanceof OptionSpec option
                        ? Stream.of(option.names()).sorted().collect(Collectors.joining(","))
                        : argument.paramLabel();
        return names
                + " arity="
                + argument.arity().min()
                + ".."
                + argument.arity().max()
                + (argument.isMultiValue() ? " repeatable" : "")
                + (argument.required() ? " required" : "")
                + (argument.hidden() ? " hidden" : "")
                + value(argument);
    }

    /** The default, where it is the same on every machine. */
    private static String value(ArgSpec argument) {
        if (argument.defaultValue() != null) {
            return " default=" + argument.defaultValue();
        }
        return switch (argument.initialValue()) {
            case Enum<?> each -> " default=" + each.name().toLowerCase(Locale.ROOT);
            case Number each -> " default=" + each;
            case Duration each -> " default=" + each;
            case null, default -> "";
        };
    }
}
