package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Manual pages, which are made of what the help says. */
class ManPageTest {
    private static CommandLine commands() {
        return VarveCommand.commandLine(
                Environment.ofProcess(),
                new PrintWriter(new StringWriter()),
                new PrintWriter(new StringWriter()));
    }

    @Test
    void pageHasAllFlagsOfItsCommand() {
        for (CommandLine command : ManCommand.visible(commands())) {
            String page = ManPage.of(command, "1.0");

            for (OptionSpec option : command.getCommandSpec().options()) {
                String name = "\\fB" + option.longestName().replace("-", "\\-") + "\\fR";
                assertEquals(
                        !option.hidden(),
                        page.contains(name),
                        ManPage.name(command) + " " + option.longestName());
            }
        }
    }

    @Test
    void pagesOfAllCommandsAreWrittenWithoutRoffWarnings(@TempDir Path folder) throws Exception {
        StringWriter err = new StringWriter();
        int status =
                Main.run(
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err),
                        "man",
                        "--write",
                        folder.toString());

        assertEquals(0, status, err.toString());
        List<Path> pages;
        try (Stream<Path> files = Files.list(folder)) {
            pages = files.sorted().toList();
        }
        List<String> names = pages.stream().map(page -> page.getFileName().toString()).toList();
        assertTrue(
                names.containsAll(List.of("varve.1", "varve-serve.1", "varve-cache.1")),
                names.toString());
        assertFalse(names.contains("varve-warm-up.1"), names.toString());
        List<String> command = new ArrayList<>(List.of("groff", "-man", "-ww", "-z", "-Tutf8"));
        pages.forEach(page -> command.add(page.toString()));
        Optional<String> complaints = DeploymentFilesTest.run(command.toArray(String[]::new));
        assumeTrue(complaints.isPresent(), "groff is not there");
        assertEquals("", complaints.get());
    }

    @Test
    void lineThatBeginsLikeAMacroIsText() {
        String page = ManPage.of(commands().getSubcommands().get("man"), "1.0");

        assertTrue(page.startsWith(".TH \"VARVE\\-MAN\" 1 "), page);
        assertTrue(page.contains("\n.SH \"SYNOPSIS\"\n"), page);
        assertFalse(page.lines().anyMatch(line -> line.startsWith("'")), page);
    }
}
