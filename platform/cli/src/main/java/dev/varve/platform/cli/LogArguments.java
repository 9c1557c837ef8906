package dev.varve.platform.cli;

import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.logging.Formatter;
import java.util.logging.Handler;

/** Options of a server's log. */
final class LogArguments {
    @Option(
            names = "--log-format",
            paramLabel = "text|json",
            defaultValue = "text",
            description =
                    "Format of log lines. In JSON each line is one object; see docs/logging.md.",
            order = 902)
    private LogFormat format;

    @Option(
            names = "--log-file",
            paramLabel = "FILE",
            description = "File to which log lines are appended, instead of stderr.",
            order = 903)
    private Optional<Path> file = Optional.empty();

    @Option(
            names = "--log-file-size",
            paramLabel = "BYTES",
            defaultValue = "100M",
            description =
                    "Size at which the log file is rotated; 0 for no rotation. K, M and G stand for"
                            + " KiB, MiB and GiB.",
            order = 904)
    private String fileSize;

    @Option(
            names = "--log-file-count",
            paramLabel = "N",
            defaultValue = "5",
            description = "Number of rotated log files to keep: FILE.1 is the newest.",
            order = 905)
    private int fileCount;

    /** Returns the format of the lines. */
    LogFormat format() {
        return format;
    }

    /** Returns whether the log goes to a file. */
    boolean isToFile() {
        return file.isPresent();
    }

    /**
     * Checks that flags of the log file are given with one.
     *
     * @throws UsageException if they are not
     */
    void check(ParseResult parsed) {
        for (String flag : List.of("--log-file-size", "--log-file-count")) {
            if (file.isEmpty() && parsed.hasMatchedOption(flag)) {
                throw new UsageException(flag + " needs --log-file");
            }
        }
    }

    /**
     * Opens the log file; empty if the log goes to stderr.
     *
     * @throws UsageException if flags are wrong
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if the file cannot be written
     */
    Optional<Handler> openFile(Formatter lines) {
        long bytes =
                ByteCount.parse(fileSize)
                        .orElseThrow(
                                () ->
                                        new UsageException(
                                                "--log-file-size: expected a size such as 100M, or"
                                                        + " 0, found "
                                                        + fileSize));
        if (fileCount < 1) {
            throw new UsageException("--log-file-count: expected 1 or more, found " + fileCount);
        }
        return file.map(
                path ->
                        new LogFile(
                                path, new LogFile.Rotation(bytes, fileCount), lines, System.err));
    }
}
