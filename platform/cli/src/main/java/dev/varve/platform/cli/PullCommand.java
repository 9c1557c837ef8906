package dev.varve.platform.cli;

import dev.varve.platform.hub.HubReference;
import dev.varve.platform.hub.ModelHub.Companion;
import dev.varve.platform.hub.PulledModel;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Downloads a model. */
@Command(
        name = "pull",
        addMethodSubcommands = false,
        description = {
            "Downloads a model from a hub or from a URL.",
            "The hub is Hugging Face, or the mirror that HF_ENDPOINT names. The quantisation is"
                + " Q4_K_M if none is named, else Q8_0, else the first of the repository. An"
                + " interrupted download is resumed, and its SHA-256 is checked. Models of a hub"
                + " are stored where other programs for it look for them (HF_HOME, HF_HUB_CACHE)."
                + " HF_TOKEN is the access token for gated models."
        },
        customSynopsis =
                "varve pull (OWNER/REPOSITORY[:QUANT] | URL) [--with-draft] [--with-mmproj]",
        footer = {
            "  varve pull Qwen/Qwen3-0.6B-GGUF:Q8_0",
            "  varve serve --hf Qwen/Qwen3-0.6B-GGUF:Q8_0",
            "  varve pull https://host/model-00001-of-00003.gguf",
            "  HF_ENDPOINT=https://mirror varve pull Qwen/Qwen3-0.6B-GGUF"
        })
final class PullCommand extends CliCommand {
    @Parameters(
            paramLabel = "MODEL",
            converter = ModelReference.RemoteConverter.class,
            description = "Repository of a hub with an optional quantisation, or a URL.")
    private ModelReference model;

    @Option(
            names = "--with-draft",
            description =
                    "Also download the draft model of the repository; varve serve --hf uses it.",
            order = 1)
    private boolean withDraft;

    @Option(
            names = "--with-mmproj",
            description =
                    "Also download the projector of the repository, which lets the model read"
                            + " images (--mmproj).",
            order = 2)
    private boolean withProjector;

    @Mixin private PluginOptions plugins;

    @Override
    boolean endsInOrder() {
        // Nothing must be closed: a signal ends the process, and the part of the file stays.
        return true;
    }

    @Override
    int run() throws InterruptedException {
        ModelDownloads downloads = new ModelDownloads(environment(), err());
        switch (model) {
            case ModelReference.OfUrl url -> {
                requireNoCompanions();
                report(downloads.pull(url.uri()), "--model-url " + url.quoted());
            }
            case ModelReference.OfHub(HubReference reference) -> {
                PulledModel pulled = downloads.pull(reference, companions());
                report(pulled.file(), "--hf " + pulled.reference());
                pulled.draft().ifPresent(file -> out().println("  draft model " + file));
                pulled.projector().ifPresent(file -> out().println("  projector " + file));
            }
            case ModelReference.OfFile _, ModelReference.OfDemo _ ->
                    throw new AssertionError("the converter accepts models of a hub and URLs");
        }
        return 0;
    }

    private void report(Path file, String flag) {
        out().println(file);
        String architecture = ModelSummary.of(file).architecture();
        if (Architectures.of(plugins.discover(environment())).models().contains(architecture)) {
            printMessage("start it with: varve serve " + flag);
        } else {
            printMessage(
                    "no plugin serves architecture "
                            + architecture
                            + "; varve plugins lists those that this installation serves");
        }
    }

    private Set<Companion> companions() {
        Set<Companion> companions = EnumSet.noneOf(Companion.class);
        if (withDraft) {
            companions.add(Companion.DRAFT);
        }
        if (withProjector) {
            companions.add(Companion.PROJECTOR);
        }
        return companions;
    }

    private void requireNoCompanions() {
        if (withDraft || withProjector) {
            throw new UsageException(
                    "--with-draft and --with-mmproj: need a repository; a URL names one model");
        }
    }
}
