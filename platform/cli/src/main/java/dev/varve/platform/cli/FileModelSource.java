package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.PlacedShardFactory;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.http.serving.LoadableModel;
import dev.varve.platform.http.serving.ModelOutline;
import dev.varve.platform.http.serving.RunningModel;
import dev.varve.platform.tokenizer.Tokenizer;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** A model file that a server loads, possibly several times. */
final class FileModelSource implements LoadableModel {
    private static final System.Logger LOG = System.getLogger(PreparedModel.class.getName());

    private final ModelOutline outline;
    private final String stamp;
    private final HostSettings settings;
    private final Opening opening;

    /**
     * Settings with which models are opened.
     *
     * @param arguments whose flags are checked
     * @param template chat template that replaces the file's
     */
    record Opening(
            ModelLoadArguments arguments, Optional<Path> template, ServedModelFactory maker) {}

    /**
     * @param stamp distinguishes the file from a replacement
     */
    FileModelSource(ModelOutline outline, String stamp, HostSettings settings, Opening opening) {
        this.outline = outline;
        this.stamp = stamp;
        this.settings = settings;
        this.opening = opening;
    }

    /** Whether this source loads this file. */
    boolean isOf(Path file) {
        return settings.file()
                .toAbsolutePath()
                .normalize()
                .equals(file.toAbsolutePath().normalize());
    }

    @Override
    public ModelOutline outline() {
        return outline;
    }

    @Override
    public String stamp() {
        return stamp;
    }

    /** Logs findings, and keeps the chat template. */
    private final class Report extends ModelLoadLog {
        private Optional<ChatRenderer> chat = Optional.empty();

        Report() {
            super(opening.arguments());
        }

        @Override
        public void opened(GgufFile file, Tokenizer tokenizer) {
            chat = ChatTemplateLoader.open(opening.template(), file, tokenizer, this::warning);
        }
    }

    /**
     * Runs all cheap checks, and reserves the memory of the model.
     *
     * @return releases the reservation when it is closed
     * @throws dev.varve.api.VarveException if the model cannot be loaded
     */
    PlacedShardFactory check() {
        Report report = new Report();
        PreparedModel prepared = PreparedModel.open(settings, report);
        report.opened(prepared.model().file(), prepared.tokenizer());
        return prepared.reserve();
    }

    @Override
    public RunningModel load() {
        Report report = new Report();
        HostedModel runtime = HostedModel.open(settings, report);
        try {
            RunningModel running =
                    new RunningModel(
                            opening.maker().served(runtime, outline.id(), report.chat), runtime);
            LOG.log(
                    System.Logger.Level.INFO,
                    String.format(
                            Locale.ROOT,
                            "%s is ready after %.1f s: %s",
                            outline.id(),
                            runtime.loadMillis() / 1000,
                            runtime.plan().describe(runtime.placement().devices())));
            return running;
        } catch (RuntimeException | Error e) {
            runtime.close();
            throw e;
        }
    }
}
