package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.hub.HubReference;
import dev.varve.platform.hub.PulledModel;
import dev.varve.platform.hub.UrlCache;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A value of {@code --model}: {@code demo}, {@code demo:FAMILY}, {@code
 * hf:OWNER/REPOSITORY[:QUANT]}, a URL, or else a file. A file whose name looks like another of
 * these needs its folder, {@code ./demo:x}.
 */
sealed interface ModelReference {
    /** A file, which need not exist. */
    record OfFile(Path path) implements ModelReference {
        @Override
        public Path file(Environment environment) {
            return path;
        }
    }

    /** A demo model of the installation. */
    record OfDemo(DemoModel model) implements ModelReference {
        @Override
        public Path file(Environment environment) {
            Path file = model.file(environment);
            if (!Files.exists(file)) {
                throw new VarveException(
                        VarveException.Kind.UNREADABLE_FILE,
                        model.reference()
                                + ": the installation has no such demo model: no file "
                                + file);
            }
            return file;
        }
    }

    /** A model of a hub. */
    record OfHub(HubReference model) implements ModelReference {
        static final String PREFIX = "hf:";

        @Override
        public Path file(Environment environment) {
            return ModelDownloads.cache(environment)
                    .find(model)
                    .map(PulledModel::file)
                    .orElseThrow(() -> notDownloaded(model.toString()));
        }

        @Override
        public String toString() {
            return model.toString();
        }
    }

    /** A model of a URL. */
    record OfUrl(URI uri) implements ModelReference {
        @Override
        public Path file(Environment environment) {
            UrlCache urls = ModelDownloads.urls(environment);
            if (!urls.isDownloaded(uri)) {
                throw notDownloaded(quoted());
            }
            return urls.file(uri);
        }

        /** The address for a command line. */
        String quoted() {
            return "'" + toString().replace("'", "'\\''") + "'";
        }

        @Override
        public String toString() {
            return UrlCache.address(uri);
        }
    }

    private static VarveException notDownloaded(String model) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                model + ": not downloaded; varve pull " + model + " downloads it");
    }

    /** Converter for models of a hub, with or without {@code hf:}, and for URLs. */
    final class RemoteConverter implements ITypeConverter<ModelReference> {
        @Override
        public ModelReference convert(String text) {
            try {
                return text.contains("://") ? url(text) : hub(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** Converter for options of the command line. */
    final class Converter implements ITypeConverter<ModelReference> {
        @Override
        public ModelReference convert(String text) {
            try {
                return parse(text);
            } catch (InvalidPathException e) {
                throw new TypeConversionException("expected a file name: " + e.getMessage());
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /**
     * Returns the file to open.
     *
     * @throws VarveException of kind UNREADABLE_FILE if the installation lacks the demo model, or a
     *     model of a hub or URL is not downloaded; other files are not checked
     */
    Path file(Environment environment);

    /**
     * Parses a reference.
     *
     * @throws IllegalArgumentException if it names an unknown demo model or a malformed model of a
     *     hub, or cannot be a path
     */
    static ModelReference parse(String text) {
        if (isUrl(text)) {
            return url(text);
        }
        if (text.startsWith(OfHub.PREFIX)) {
            return hub(text);
        }
        if (text.equals(DemoModel.PREFIX)) {
            return new OfDemo(DemoModel.DEFAULT);
        }
        String prefix = DemoModel.PREFIX + ":";
        if (!text.startsWith(prefix)) {
            return new OfFile(Path.of(text));
        }
        return DemoModel.ofFamily(text.substring(prefix.length()))
                .map(OfDemo::new)
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "expected one of the demo models "
                                                + DemoModel.references()
                                                + ", found "
                                                + text
                                                + " (a file of that name is ./"
                                                + text
                                                + ")"));
    }

    private static boolean isUrl(String text) {
        return text.startsWith("https://") || text.startsWith("http://");
    }

    private static OfUrl url(String text) {
        try {
            if (!isUrl(text)) {
                throw new IllegalArgumentException(
                        "expected an address that begins with https:// or http://, found " + text);
            }
            URI uri = new URI(text);
            // Checks the form.
            new UrlCache(Path.of("")).file(uri);
            return new OfUrl(uri);
        } catch (URISyntaxException e) {
            // Its own message contains the query.
            throw new IllegalArgumentException(
                    "expected an address: " + e.getReason() + " at index " + e.getIndex(), e);
        }
    }

    private static OfHub hub(String text) {
        return new OfHub(
                HubReference.parse(
                        text.startsWith(OfHub.PREFIX)
                                ? text.substring(OfHub.PREFIX.length())
                                : text));
    }
}
