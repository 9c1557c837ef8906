package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Help and completion of the command line. */
class HelpTest {
    private record Outcome(int status, String out, String err) {}

    @TempDir Path folder;

    private Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status =
                VarveCommand.execute(
                        new Environment(Map.of(), Optional.of(folder), Set.of()),
                        new PrintWriter(out),
                        new PrintWriter(err),
                        arguments);
        return new Outcome(status, out.toString(), err.toString());
    }

    @Test
    void helpIsACommandToo() {
        assertEquals(run("--help"), run("help"));
        assertEquals(run("serve", "--help"), run("help", "serve"));
        assertEquals(2, run("help", "sing").status());
    }

    /** One that is run is read alone; help reads all of them. */
    @Test
    void everyCommandHasItsOwnHelp() {
        for (String command : VarveCommand.names()) {
            Outcome alone = run(command, "--help");

            assertEquals(0, alone.status(), command);
            assertFalse(alone.out().contains("Optional"), "defaults as a person writes them");
            assertEquals(alone, run("help", command), command);
        }
    }

    /** The library would search the methods of each class, which takes 20 ms at every start. */
    @Test
    void noCommandHasMethodsForSubcommands() {
        CommandLine all =
                VarveCommand.commandLine(
                        new Environment(Map.of(), Optional.of(folder), Set.of()),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(new StringWriter()));

        for (CommandLine each : all.getSubcommands().values()) {
            for (Class<?> type = each.getCommand().getClass();
                    type != Object.class;
                    type = type.getSuperclass()) {
                Command described = type.getAnnotation(Command.class);
                assertTrue(
                        type == HelpCommand.class
                                || described == null
                                || !described.addMethodSubcommands(),
                        type::getName);
            }
        }
    }

    /** From a process of its own, whose locale has other digits. */
    @Test
    @Tag("nightly")
    void completionScriptIsIndependentOfTheLocale() throws Exception {
        assertEquals(run("completion", "bash").out(), scriptOfAProcess("bash"));
    }

    @Test
    void unknownShellIsAUsageError() {
        Outcome outcome = run("completion", "csh");

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("csh"), outcome.toString());
    }

    private static String scriptOfAProcess(String shell) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Duser.language=ar",
                                "-Duser.country=EG",
                                "-cp",
                                System.getProperty(
                                        "surefire.test.class.path",
                                        System.getProperty("java.class.path")),
                                Main.class.getName(),
                                "completion",
                                shell)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        return out;
    }
}
