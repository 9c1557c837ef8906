package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.hub.HubReference;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.net.URI;
import java.util.Optional;

/** Deletes downloaded models. */
@Command(
        name = "rm",
        addMethodSubcommands = false,
        description = {
            "Deletes a downloaded model.",
            "The command deletes one quantisation, or without one all GGUF files and unfinished"
                + " downloads of the repository; or the model of a URL. Other programs share the"
                + " folder of a hub: they lose the model, too. A server that runs the model"
                + " continues."
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
    int run() {
        Optional<Long> freed =
                switch (model) {
                    case ModelReference.OfHub(HubReference reference) ->
                            ModelDownloads.cache(environment()).remove(reference);
                    case ModelReference.OfUrl(URI uri) ->
                            ModelDownloads.urls(environment()).remove(uri);
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
}
