package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.setting.Setting;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

class FlagNamesTest {
    @ParameterizedTest
    @EnumSource(Setting.class)
    void everySettingIsAFlagOfServeOrShard(Setting setting) {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        Map<String, CommandLine> commands =
                VarveCommand.commandLine(
                                new Environment(Map.of(), Optional.empty(), Set.of()),
                                nowhere,
                                nowhere)
                        .getSubcommands();

        // Both types of the cache together are written as one flag and the end of the other.
        String flag = FlagNames.FLAGS.of(setting).replaceFirst("/-v$", "");

        assertTrue(
                Stream.of("serve", "shard")
                        .map(name -> commands.get(name).getCommandSpec().optionsMap())
                        .anyMatch(options -> options.containsKey(flag)),
                flag);
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
