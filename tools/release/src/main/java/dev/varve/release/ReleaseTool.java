package dev.varve.release;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/** The steps of {@code tools/release/run.sh} that read and write documents. */
@Command(
        name = "release",
        description = "Writes and checks the bill of materials of a release.",
        mixinStandardHelpOptions = true)
public final class ReleaseTool {
    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Runs a step and exits with 0, or with 1 if it found problems. */
    public static void main(String[] arguments) {
        System.exit(run(new PrintWriter(System.out, true, StandardCharsets.UTF_8), arguments));
    }

    static int run(PrintWriter out, String... arguments) {
        return new CommandLine(new ReleaseTool()).setOut(out).setErr(out).execute(arguments);
    }

    @Command(
            name = "sbom",
            description = {
                "Writes the bill of materials of an installation; fails if a file in it is from no"
                        + " known work, or a licence is not accepted."
            })
    int sbom(
            @Option(names = "--version", required = true) String version,
            @Option(names = "--sources", required = true, description = "folder of the sources")
                    Path root,
            @Option(
                            names = "--resolved",
                            required = true,
                            description =
                                    "Maven's dependencies, as its CycloneDX plugin writes them")
                    Path resolved,
            @Option(names = "--installation", required = true) Path installation,
            @Option(names = "--output", required = true) Path output)
            throws IOException {
        Properties corrections = new Properties();
        try (Reader reader = Files.newBufferedReader(root.resolve("tools/release/licences"))) {
            corrections.load(reader);
        }
        Attribution.Result result =
                Attribution.of(installation, Sources.read(root, resolved, corrections));
        List<String> problems =
                Licences.problems(
                        result.components(), Files.readString(installation.resolve("NOTICE")));
        result.unknown().forEach(path -> say(path + ": is from no known work"));
        problems.forEach(this::say);
        if (!result.unknown().isEmpty() || !problems.isEmpty()) {
            return 1;
        }
        Files.writeString(output, BillOfMaterials.write(version, result.components()));
        say(output + ": " + result.components().size() + " works");
        return 0;
    }

    @Command(
            name = "vulnerabilities",
            description =
                    "Fails if a work of a bill of materials is affected by a vulnerability in a"
                            + " folder of OSV files.")
    int vulnerabilities(
            @Option(names = "--sbom", required = true) Path sbom,
            @Option(names = "--advisories", required = true) Path folder)
            throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new ParameterException(
                    spec.commandLine(), "--advisories: no such folder: " + folder);
        }
        Advisories advisories = Advisories.read(folder);
        if (advisories.count() == 0) {
            throw new ParameterException(
                    spec.commandLine(), "--advisories: no file *.json in " + folder);
        }
        List<String> found = advisories.affecting(BillOfMaterials.read(Files.readString(sbom)));
        found.forEach(this::say);
        say(advisories.count() + " advisories, " + found.size() + " affect this release");
        return found.isEmpty() ? 0 : 1;
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
    }
}
