package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Effort;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The installation in the POSIX locale, which containers and services have, with names that are not
 * ASCII. All of it is written in scripts, since Java can name such files only where the locale of
 * the build can.
 */
@Tag("nightly")
@Timeout(240)
class CharsetIT {
    private static final String UNICODE_INSTALLATION =
            """
            home=$FOLDER/ünï/varve
            if [[ ! -d $home ]]; then
              mkdir -p "$home"
              cp -r "$INSTALLATION"/{bin,lib,conf,plugins} "$home"
              cp "$MODEL" "$FOLDER/ünï/mödel.gguf"
            fi
            """;

    @TempDir Path folder;

    @TempDir static Path models;

    private static Path model;

    @BeforeAll
    static void writeModel() throws Exception {
        model = Qwen35Model.odd(2).withType(TensorType.Q8_0).write(models);
    }

    /** Each has an installation of its own and a record of its start, so those that differ most. */
    static Stream<String> locales() {
        return Stream.of("LC_ALL=C", "LANG=", "LC_ALL=POSIX", "LC_ALL=xx_XX", "LC_ALL=C.UTF-8")
                .limit(Effort.of(2, 5));
    }

    @ParameterizedTest
    @MethodSource("locales")
    void textAndNamesAreReadInEveryLocale(String locale) throws Exception {
        String script =
                UNICODE_INSTALLATION
                        + """
                        "$home/bin/varve" tokenize --model "$FOLDER/ünï/mödel.gguf" --text 'ünï'
                        """;

        Varve.Outcome first = run(locale, script);
        Varve.Outcome second = runRecorded(locale, script);

        try (Oracle oracle = Oracle.open(model, OracleOptions.defaults())) {
            assertArrayEquals(oracle.tokenize("ünï", false, false), ids(first));
        }
        assertEquals(first, second);
        assertEquals(1, startRecords().size(), startRecords().toString());
    }

    @Test
    void shardProcessesInheritTheCharset() throws Exception {
        Varve.Outcome outcome =
                run(
                        "LC_ALL=C",
                        UNICODE_INSTALLATION
                                + """
                                "$home/bin/varve" generate --model "$FOLDER/ünï/mödel.gguf" \\
                                    --target-devices cpu:0,cpu:0@process --prompt 'ü' --max-tokens 2
                                """);

        assertEquals(0, outcome.status(), outcome.toString());
    }

    @Test
    void otherJavaOptionsOfTheUserAreKept() throws Exception {
        String script =
                """
                mkdir -p "$FOLDER/java/bin"
                echo 'JAVA_VERSION="25"' >"$FOLDER/java/release"
                printf '#!/bin/sh\\necho "${LC_ALL-unset} ${LC_CTYPE-unset} ${LANG-unset}"\\n' \\
                    >"$FOLDER/java/bin/java"
                chmod +x "$FOLDER/java/bin/java"
                export VARVE_JAVA_HOME=$FOLDER/java
                LANG=C "$INSTALLATION/bin/varve"
                LC_ALL=C "$INSTALLATION/bin/varve"
                LC_ALL=C.UTF-8 "$INSTALLATION/bin/varve"
                LANG=C.UTF-8 "$INSTALLATION/bin/varve"
                """;

        Varve.Outcome outcome = run("VARVE=", script);

        assertEquals(
                List.of(
                        "unset C.UTF-8 C",
                        "C.UTF-8 unset unset",
                        "C.UTF-8 unset unset",
                        "unset unset C.UTF-8"),
                outcome.out().lines().toList(),
                outcome.toString());
    }

    @Test
    void nonUtf8TextIsRefused() throws Exception {
        Varve.Outcome outcome =
                run(
                        "LC_ALL=C.UTF-8",
                        """
                        "$INSTALLATION/bin/varve" tokenize --model "$MODEL" --text $'gr\\374n'
                        """);

        assertEquals(
                new Varve.Outcome(
                        2,
                        "",
                        "varve: --text: expected text in UTF-8, found the bytes FC 6E at position"
                                + " 2\n"),
                outcome);
    }

    @Test
    void replacementCharacterIsAccepted() throws Exception {
        Varve.Outcome outcome =
                run(
                        "LC_ALL=C",
                        """
                        "$INSTALLATION/bin/varve" tokenize --model "$MODEL" --text $'\\xef\\xbf\\xbd'
                        """);

        assertEquals(0, outcome.status(), outcome.toString());
    }

    @Test
    void runtimeStartedWithoutTheLauncherReportsUnreadableText() throws Exception {
        Varve.Outcome outcome =
                run(
                        "LC_ALL=C",
                        """
                        "$JAVA_HOME/bin/java" -p "$INSTALLATION/lib" \\
                            -m dev.varve.platform.cli/dev.varve.platform.cli.Main \\
                            tokenize --model "$MODEL" --text 'ünï'
                        """);

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err().contains("--text: expected a UTF-8 locale, found the charset ANSI"),
                outcome.toString());
        assertTrue(outcome.err().contains("\"ünï\""), outcome.toString());
    }

    /** Likewise, with a start-up cache. */
    private Varve.Outcome runRecorded(String variable, String script) throws Exception {
        return run(
                variable,
                "export VARVE_AOT=on\n"
                        + UNICODE_INSTALLATION
                        + "$home/bin/varve warm-up\n"
                        + script);
    }

    /** Runs a script with one more variable, without those that name a locale. */
    private Varve.Outcome run(String variable, String script) throws Exception {
        Path file = Files.writeString(folder.resolve("script"), "set -e\n" + script);
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        ProcessBuilder builder =
                new ProcessBuilder("bash", file.toString())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.matches("LANG|LANGUAGE|LC_.*"));
        builder.environment().put("FOLDER", folder.toString());
        builder.environment().put("INSTALLATION", Varve.INSTALLATION.toString());
        builder.environment().put("MODEL", model.toString());
        builder.environment().put("VARVE_CACHE", folder.resolve("cache").toString());
        builder.environment().put("VARVE_AOT", "off");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        String[] pair = variable.split("=", 2);
        builder.environment().put(pair[0], pair[1]);
        Process process = builder.start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "no end of " + script);
        return new Varve.Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private List<Path> startRecords() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            return files.filter(file -> file.toString().endsWith(".aot")).toList();
        }
    }

    private static int[] ids(Varve.Outcome outcome) {
        assertEquals(0, outcome.status(), outcome.toString());
        return new JsonMapper().readValue(outcome.out(), int[].class);
    }
}
