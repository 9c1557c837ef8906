package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A value of {@code --model}: {@code demo}, {@code demo:FAMILY}, or else a file. A file whose name
 * looks like a demo model needs its folder, {@code ./demo:x}.
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
     * @throws VarveException of kind UNREADABLE_FILE if the installation lacks the demo model;
     *     other files are not checked
     */
    Path file(Environment environment);

    /**
     * Parses a reference.
     *
     * @throws IllegalArgumentException if it names an unknown demo model, or cannot be a path
     */
    static ModelReference parse(String text) {
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
}
