package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.host.EmbeddingModel;
import dev.varve.platform.host.EmbeddingSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelWithEmbeddings;
import dev.varve.platform.host.PlacedShardFactory;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.http.model.ServedModel;
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
     * @param embeddings how texts become vectors or scores
     */
    record Opening(
            ModelLoadArguments arguments,
            Optional<Path> template,
            Purpose purpose,
            EmbeddingSettings embeddings,
            ServedModelFactory maker) {}

    /** Output of a model. */
    enum Purpose {
        /** Text. */
        GENERATION,
        /** Vectors or scores of texts. */
        ENCODING,
        /** Text, and vectors or scores. */
        BOTH
    }

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
     * @return releases the reservation when it is closed; empty for a model without caches
     * @throws dev.varve.api.VarveException if the model cannot be loaded
     */
    Optional<PlacedShardFactory> check() {
        if (opening.purpose() == Purpose.ENCODING) {
            return Optional.empty();
        }
        Report report = new Report();
        PreparedModel prepared = PreparedModel.open(settings, report);
        report.opened(prepared.model().file(), prepared.tokenizer());
        return Optional.of(prepared.reserve());
    }

    @Override
    public RunningModel load() {
        return switch (opening.purpose()) {
            case GENERATION -> loadGenerating();
            case ENCODING -> loadEncoding();
            case BOTH -> loadBoth();
        };
    }

    private RunningModel loadEncoding() {
        EmbeddingModel model = EmbeddingModel.open(settings, opening.embeddings(), new Report());
        return new RunningModel(opening.maker().encoding(model, outline.id()), model);
    }

    private RunningModel loadGenerating() {
        Report report = new Report();
        HostedModel model = HostedModel.open(settings, report);
        try {
            return new RunningModel(served(model, report), model);
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
    }

    private RunningModel loadBoth() {
        Report report = new Report();
        ModelWithEmbeddings both = ModelWithEmbeddings.open(settings, opening.embeddings(), report);
        try {
            ServedModel.Encoding encoding =
                    new ServedModel.Encoding(both.embeddings().embedder(), false);
            return new RunningModel(served(both.model(), report).with(encoding), both);
        } catch (RuntimeException | Error e) {
            both.close();
            throw e;
        }
    }

    private ServedModel served(HostedModel model, Report report) {
        ServedModel served = opening.maker().served(model, outline.id(), report.chat);
        LOG.log(
                System.Logger.Level.INFO,
                String.format(
                        Locale.ROOT,
                        "%s is ready after %.1f s: %s",
                        outline.id(),
                        model.loadMillis() / 1000,
                        model.plan().describe(model.placement().devices())));
        return served;
    }
}
