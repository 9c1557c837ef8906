package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

class FlagNamesTest {
    /** Created once: picocli needs 50 ms for the annotations of all commands. */
    private static final Map<String, CommandLine> COMMANDS = commands();

    private static Map<String, CommandLine> commands() {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        return VarveCommand.commandLine(
                        new Environment(Map.of(), Optional.empty(), Set.of()), nowhere, nowhere)
                .getSubcommands();
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void everySettingIsAFlagOfServeOrShard(Setting setting) {
        // Both types of the cache together are written as one flag and the end of the other.
        String flag = FlagNames.FLAGS.of(setting).replaceFirst("/-v$", "");

        assertTrue(
                Stream.of("serve", "shard")
                        .map(name -> COMMANDS.get(name).getCommandSpec().optionsMap())
                        .anyMatch(options -> options.containsKey(flag)),
                flag);
    }

    /**
     * The options for Java exclude the converters of these types, which take time at every start.
     */
    @Test
    void timesHaveConvertersOfTheirOwn() {
        assertEquals(
                List.of(),
                COMMANDS.values().stream()
                        .flatMap(command -> command.getCommandSpec().args().stream())
                        .filter(FlagNamesTest::isTime)
                        .filter(argument -> argument.converters().length == 0)
                        .map(ArgSpec::paramLabel)
                        .toList());
    }

    private static boolean isTime(ArgSpec argument) {
        String type = argument.auxiliaryTypes()[0].getName();
        return type.startsWith("java.time.") || type.startsWith("java.sql.");
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void messageThatBeginsWithASettingIsAUsageError(Setting setting) {
        StringWriter err = new StringWriter();
        CommandLine line =
                new CommandLine(new CommandWithError(setting + ": expected 1, found 2"))
                        .setErr(new PrintWriter(err))
                        .setExecutionExceptionHandler(new ErrorReport());

        int status = line.execute();

        assertEquals(ExitStatus.USAGE.code(), status);
        assertEquals(
                "varve: "
                        + FlagNames.FLAGS.of(setting)
                        + ": expected 1, found 2"
                        + System.lineSeparator(),
                err.toString());
    }

    @CommandLine.Command(name = "test")
    private record CommandWithError(String message) implements Runnable {
        @Override
        public void run() {
            throw new IllegalArgumentException(message);
        }
    }
}
