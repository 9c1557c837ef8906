package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import javax.tools.ToolProvider;

/** The modules of the platform know only those below them, and javac refuses what they hide. */
class ModuleOrderIT {
    private static final Path LIB = Varve.INSTALLATION.resolve("lib");
    private static final String PREFIX = "dev.varve.platform.";

    /** Each may know those before it. */
    private static final List<String> ORDER =
            List.of(
                    "base",
                    "hub",
                    "vision",
                    "jinja",
                    "text",
                    "grammar",
                    "shard",
                    "cache",
                    "speculation",
                    "rpc",
                    "engine",
                    "chat",
                    "host",
                    "server",
                    "cli");

    @TempDir Path folder;

    @Test
    void noModuleDependsOnAHigherOne() {
        List<ModuleDescriptor> modules =
                ModuleFinder.of(LIB).findAll().stream()
                        .map(each -> each.descriptor())
                        .filter(each -> each.name().startsWith(PREFIX))
                        .toList();

        assertEquals(ORDER.size(), modules.size(), modules.toString());
        for (ModuleDescriptor module : modules) {
            int own = place(module.name());
            for (ModuleDescriptor.Requires required : module.requires()) {
                if (required.name().startsWith(PREFIX)) {
                    assertTrue(place(required.name()) < own, module + " requires " + required);
                }
            }
        }
    }

    private static int place(String module) {
        int place = ORDER.indexOf(module.substring(PREFIX.length()));
        assertNotEquals(-1, place, module);
        return place;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "grammar | dev.varve.platform.engine.Engine        | is not visible",
                "engine  | dev.varve.platform.engine.Engine        | is not visible",
                "jinja   | dev.varve.api.model.ModelFamilyProvider   | is not visible",
                "grammar | dev.varve.platform.grammar.gbnf.Gbnf       | is not visible",
            })
    void javacRefusesUnexportedTypes(String module, String type, String reason) throws IOException {
        String output = compile(module, type);

        assertTrue(output.contains(reason), output);
    }

    @Test
    void javacAcceptsExportedTypes() throws IOException {
        assertEquals("", compile("grammar", "dev.varve.platform.grammar.mask.TokenMasks"));
    }

    private String compile(String module, String type) throws IOException {
        Path info =
                Files.writeString(
                        folder.resolve("module-info.java"),
                        "module acme { requires " + PREFIX + module + "; }");
        Path user =
                Files.writeString(
                        Files.createDirectories(folder.resolve("acme")).resolve("User.java"),
                        "package acme; final class User { " + type + " used; }");
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                output,
                                output,
                                "--module-path",
                                LIB.toString(),
                                "-d",
                                folder.resolve("classes").toString(),
                                info.toString(),
                                user.toString());
        String text = output.toString(StandardCharsets.UTF_8);
        assertFalse(status == 0 && !text.isEmpty(), text);
        return text;
    }
}
