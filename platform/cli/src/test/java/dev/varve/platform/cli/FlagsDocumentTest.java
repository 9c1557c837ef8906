package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** docs/flags.md has the flags of the command line. */
class FlagsDocumentTest {
    private static final String MARKER =
            "<!-- What follows is generated from the help of the commands. Change the help, then"
                    + " run FlagsDocumentTest with -Dvarve.test.write=true. -->";

    /** Returns the command line of an empty environment. */
    static CommandLine commands() {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        return VarveCommand.commandLine(
                new Environment(Map.of(), Optional.empty(), Set.of()), nowhere, nowhere);
    }

    @Test
    void documentHasAllFlagsOfAllCommands() {
        GeneratedFile.of("docs/flags.md").checkBelow(MARKER, FlagsDocument.of(commands()));
    }

    @Test
    void documentHasAllExitStatuses() throws IOException {
        String document =
                Files.readString(Path.of(System.getProperty("varve.test.root"), "docs/flags.md"));

        for (ExitStatus status : ExitStatus.values()) {
            String row = "| " + status.code() + " | " + status.meaning() + " |";
            assertTrue(document.contains(row), row);
        }
    }

    @Test
    void barInATableIsEscaped() {
        String document = FlagsDocument.of(commands());

        assertTrue(document.contains("`--cache-scope key\\|shared` | `key` |"), document);
    }
}
