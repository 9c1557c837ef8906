package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.platform.check.CheckGroup;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.Verdict;
import dev.varve.platform.log.ControlCharacters;
import dev.varve.platform.setting.Release;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Report of checks, as JSON and as Markdown, to send to others. Holds the hardware, the versions
 * and the results, but not the names of the user and the host, and of files only their own name.
 */
final class CheckReport {
    /** Folders of an absolute path. */
    private static final Pattern FOLDERS = Pattern.compile("(?<![\\w.])~?/(?:[^\\s/:,;]+/)+");

    /** Folder of a user whose name is another than that of this process. */
    private static final Pattern HOME = Pattern.compile("/(?:home|Users)/[^\\s/:,;]+");

    /** Names that are too short occur in other words, and as words of their own. */
    private static final int SHORTEST_NAME = 3;

    /**
     * Names that no report holds.
     *
     * @param home folder of the user
     */
    record Private(String home, String user, String host) {
        /** The names of this process. */
        static Private own() {
            return new Private(
                    System.getProperty("user.home", ""),
                    System.getProperty("user.name", ""),
                    ownHost());
        }

        private static String ownHost() {
            try {
                return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            } catch (IOException _) {
                return "";
            }
        }
    }

    private final List<CheckResult> results;
    private final boolean full;
    private final List<CheckGroup> groups;
    private final Private names = Private.own();

    /**
     * @param groups the groups that were chosen; empty: all
     */
    CheckReport(List<CheckResult> results, boolean full, List<CheckGroup> groups) {
        this.results = List.copyOf(results);
        this.full = full;
        this.groups = List.copyOf(groups);
    }

    /**
     * Checks before the first check that the report can be written.
     *
     * @throws VarveException of kind UNREADABLE_FILE if its folder does not exist or is not
     *     writable
     */
    static void requireWritable(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    "--report: expected a writable folder, found " + folder);
        }
    }

    /** Writes both files and returns them. */
    List<Path> write(Path file) {
        String name = file.getFileName().toString().replaceFirst("\\.(json|md)$", "");
        Path json = file.resolveSibling(name + ".json");
        Path markdown = file.resolveSibling(name + ".md");
        write(json, CliJson.write(json()) + "\n");
        write(markdown, markdown());
        return List.of(json, markdown);
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be written: " + FileErrors.reason(e),
                    e);
        }
    }

    ObjectNode json() {
        ObjectNode report =
                CliJson.object()
                        .put("varve", Release.version())
                        .put("ggml", GgmlLibrary.EXPECTED_VERSION)
                        .put("java", Runtime.version().toString())
                        .put("system", system())
                        .put("full", full);
        ArrayNode chosen = report.putArray("groups");
        groups.forEach(group -> chosen.add(group.word()));
        ArrayNode array = report.putArray("results");
        for (CheckResult result : results) {
            CheckJson.put(array.addObject(), anonymous(result));
        }
        return report;
    }

    private static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.arch");
    }

    String markdown() {
        StringBuilder text = new StringBuilder("# Results of `varve check`\n\n");
        text.append("Varve ").append(Release.version());
        text.append(", ggml ").append(GgmlLibrary.EXPECTED_VERSION);
        text.append(", Java ").append(Runtime.version().feature());
        text.append(", ").append(system());
        text.append(full ? ", `--full`" : "");
        groups.forEach(group -> text.append(", `--group ").append(group.word()).append('`'));
        text.append(".\n\n");
        text.append("| device | results |\n|---|---|\n");
        for (Map.Entry<String, String> each : CheckTable.summaries(results).entrySet()) {
            text.append("| ").append(each.getKey()).append(" | ");
            text.append(each.getValue()).append(" |\n");
        }
        text.append("\n| device | group | check | result | seconds | expected | found |\n");
        text.append("|---|---|---|---|---|---|---|\n");
        for (CheckResult result : results) {
            text.append(row(anonymous(result)));
        }
        return text.toString();
    }

    private static String row(CheckResult result) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %.1f | %s | %s |%n",
                result.device(),
                result.group().word(),
                cell(result.name()),
                result.verdict().status().word(),
                result.seconds(),
                cell(result.verdict().expected()),
                cell(result.verdict().found()));
    }

    private static String cell(String text) {
        return ControlCharacters.replace(text.replace("|", "\\|"), ' ');
    }

    private CheckResult anonymous(CheckResult result) {
        return new CheckResult(
                result.device(),
                result.group(),
                result.name(),
                new Verdict(
                        result.verdict().status(),
                        anonymous(result.verdict().expected(), names),
                        anonymous(result.verdict().found(), names)),
                result.seconds());
    }

    /** Removes the folders of paths, and replaces the names of the user and the host. */
    static String anonymous(String text, Private names) {
        String rest = names.home().length() > 1 ? text.replace(names.home(), "~") : text;
        rest = FOLDERS.matcher(HOME.matcher(rest).replaceAll("~")).replaceAll("");
        return replaceWord(replaceWord(rest, names.user(), "USER"), names.host(), "HOST");
    }

    private static String replaceWord(String text, String name, String word) {
        return name.length() < SHORTEST_NAME
                ? text
                : text.replaceAll(
                        "(?<![\\p{L}\\p{N}])" + Pattern.quote(name) + "(?![\\p{L}\\p{N}])", word);
    }
}
