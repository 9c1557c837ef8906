package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.host.HostedModel;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes the logits of given tokens. */
@Command(
        name = "logits",
        addMethodSubcommands = false,
        description = {
            "Runs given tokens and writes the logits of each.",
            "The file holds 32-bit floats, little-endian: one row of vocabulary size per token, in"
                    + " order."
        },
        footer = "  varve logits --model model.gguf --tokens 1,2,3 --out logits.f32")
final class LogitsCommand extends CliCommand {
    @Mixin private ModelLoadArguments model;

    @Option(
            names = "--tokens",
            required = true,
            paramLabel = "IDS",
            description = "Token ids, such as 1,2,3.",
            order = 2)
    private String tokens;

    @Option(
            names = {"-o", "--out"},
            required = true,
            paramLabel = "FILE",
            description = "Output file; an existing file is replaced.",
            order = 3)
    private Path target;

    @Override
    boolean usesUsualDraft() {
        return false;
    }

    @Override
    int run() throws IOException {
        int[] ids = TokenIds.parse(tokens);
        try (HostedModel runtime = open(model, model.settingsFor(ids.length));
                FileChannel file =
                        FileChannel.open(
                                target,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.TRUNCATE_EXISTING)) {
            TokenIds.requireBelow(ids, runtime.vocabularySize());
            runtime.logits(
                    ids, (logits, rows, vocabulary) -> write(file, logits, rows * vocabulary));
        } catch (UncheckedIOException | java.nio.file.FileSystemException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    target + ": cannot be written: " + FileErrors.reason(e),
                    e);
        }
        return 0;
    }

    private static void write(FileChannel file, float[] logits, int count) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.multiplyExact(count, Float.BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(logits, 0, count);
        try {
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
