package dev.varve.platform.cli;

import dev.varve.platform.host.ImageSettings;
import dev.varve.platform.host.ProjectorFile;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.vision.ImageLimits;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Options of image input. */
final class ImageArguments {
    private static final int SECTION = OptionSections.IMAGES;
    private static final String PROJECTOR = "--mmproj";
    private static final String DEVICE = "--mmproj-device";
    private static final String LEAST = "--image-min-tokens";
    private static final String MOST = "--image-max-tokens";
    private static final String AUTO = "auto";
    private static final String NONE = "none";

    @Option(
            names = PROJECTOR,
            paramLabel = "FILE|auto|none",
            description =
                    "Projector of the model, with which it reads images (default: a demo model's"
                            + " own, and none for others). auto: the file beside the model whose"
                            + " name contains mmproj.",
            order = SECTION)
    private Optional<String> projector = Optional.empty();

    @Option(
            names = DEVICE,
            paramLabel = "DEVICE",
            description =
                    "Device that encodes images, such as cpu:0 (default: that of the model's first"
                            + " layers). cpu:0@process: in a process that the server starts, whose"
                            + " failure ends only requests with images.",
            order = SECTION + 1)
    private Optional<String> device = Optional.empty();

    @Option(
            names = LEAST,
            paramLabel = "N",
            description =
                    "Tokens up to which small images are enlarged (default: the projector's).",
            order = SECTION + 2)
    private Optional<Integer> minTokens = Optional.empty();

    @Option(
            names = MOST,
            paramLabel = "N",
            description =
                    "Tokens to which large images are reduced (default: the projector's). At most"
                            + " 1024 by default if a processor encodes them.",
            order = SECTION + 3)
    private Optional<Integer> maxTokens = Optional.empty();

    /** Whether a projector was named, or {@code auto} or {@code none}. */
    boolean isAsked() {
        return projector.isPresent();
    }

    /**
     * Returns the settings for the model of the command, or the first of several.
     *
     * @throws UsageException if {@code auto} finds none or several projectors
     */
    Optional<ImageSettings> of(ModelChoice model, Environment environment) {
        return settings(
                switch (projector.orElse("")) {
                    case "" -> model.projector(environment);
                    case NONE -> Optional.empty();
                    case AUTO ->
                            Optional.of(
                                    model.projector(environment)
                                            .orElseGet(() -> beside(model.file())));
                    case String name -> Optional.of(Path.of(name));
                });
    }

    /** Returns the settings for another model: a projector that is named is for one model. */
    Optional<ImageSettings> ofOther(ModelChoice model, Environment environment) {
        if (model.isDemo()) {
            return settings(model.projector(environment).filter(file -> !isOff()));
        }
        return settings(
                projector
                        .filter(name -> name.equals(AUTO))
                        .map(name -> ProjectorFile.beside(model.file()))
                        .filter(found -> found.size() == 1)
                        .map(List::getFirst));
    }

    private boolean isOff() {
        return projector.filter(NONE::equals).isPresent();
    }

    private Optional<ImageSettings> settings(Optional<Path> file) {
        return file.map(
                path ->
                        new ImageSettings(
                                path,
                                device.map(DeviceReference::parse),
                                number(minTokens, LEAST),
                                number(maxTokens, MOST),
                                ImageLimits.defaults()));
    }

    private static Path beside(Path model) {
        List<Path> found = ProjectorFile.beside(model);
        if (found.size() != 1) {
            throw new UsageException(
                    PROJECTOR
                            + " auto: expected one projector beside "
                            + model.getFileName()
                            + ", found "
                            + (found.isEmpty()
                                    ? "none"
                                    : found.stream().map(Path::getFileName).toList()));
        }
        return found.getFirst();
    }

    private static OptionalInt number(Optional<Integer> value, String option) {
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        if (value.get() < 1) {
            throw new UsageException(option + ": expected 1 or more, found " + value.get());
        }
        return OptionalInt.of(value.get());
    }
}
