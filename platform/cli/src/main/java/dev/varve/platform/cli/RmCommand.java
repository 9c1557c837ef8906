package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.hub.HubReference;
import dev.varve.platform.hub.ModelHub;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Deletes downloaded models. */
@Command(
        name = "rm",
        description = {
            "Deletes a downloaded model: one quantisation, or without one all GGUF files and"
                    + " unfinished downloads of the repository; or the model of a URL.",
            "Other programs share the folder of a hub: they lose the model, too. A server that runs"
                    + " the model continues."
        },
        customSynopsis = "varve rm (OWNER/REPOSITORY[:QUANT] | URL)",
        footer = {
            "  varve models",
            "  varve rm Qwen/Qwen3-0.6B-GGUF:Q8_0",
        })
final class RmCommand extends CliCommand {
    @Parameters(
            paramLabel = "MODEL",
            converter = ModelReference.RemoteConverter.class,
            description = "Repository of a hub with an optional quantisation, or a URL.")
    private ModelReference model;

    @Override
    int run() throws IOException {
        Optional<Long> freed =
                switch (model) {
                    case ModelReference.OfHub(HubReference reference) ->
                            ModelDownloads.cache(environment()).remove(reference);
                    case ModelReference.OfUrl(URI uri) -> remove(uri);
                    case ModelReference.OfFile _, ModelReference.OfDemo _ ->
                            throw new AssertionError(
                                    "the converter accepts models of a hub and URLs");
                };
        long bytes =
                freed.orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.INVALID_REQUEST,
                                        model
                                                + ": not downloaded; varve models lists the"
                                                + " downloaded models"));
        out().println(ByteCount.format(bytes) + " freed");
        return 0;
    }

    /** Deletes the folder of a URL. */
    private Optional<Long> remove(URI uri) throws IOException {
        Path folder = ModelHub.file(uri, ModelDownloads.urlFolder(environment())).getParent();
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.toList();
        }
        long freed = 0;
        for (Path file : files) {
            freed += Files.size(file);
            Files.delete(file);
        }
        Files.delete(folder);
        return Optional.of(freed);
    }
}
