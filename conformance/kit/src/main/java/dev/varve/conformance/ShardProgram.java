package dev.varve.conformance;

import dev.varve.platform.cli.Main;
import dev.varve.platform.remote.ChildProcessLink;
import dev.varve.platform.remote.ShardLaunch;
import dev.varve.platform.remote.ShardWireOptions;
import dev.varve.platform.wire.unix.UnixTransport;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.decoders.DecoderFamilies;
import dev.varve.plugin.gemma4.Gemma4Family;
import dev.varve.plugin.laguna.LagunaFamily;
import dev.varve.plugin.qwen3.Qwen3Family;
import dev.varve.plugin.qwen35.Qwen35Family;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The program {@code varve shard} of this build: a Java runtime with the classes under test as
 * modules and the plugins in a folder, as in an installation.
 */
final class ShardProgram {
    private static final List<Class<?>> PLUGINS =
            List.of(
                    CpuBackendProvider.class,
                    Qwen3Family.class,
                    Qwen35Family.class,
                    Gemma4Family.class,
                    LagunaFamily.class,
                    DecoderFamilies.class);

    /** Location of the native libraries. */
    enum Natives {
        /** The folder that {@code --ggml-home} names; quicker to install. */
        APART,
        /** The plugins. */
        PACKED
    }

    /** Entries of the class path that belong to the tests and are no modules of the program. */
    private static final List<String> FOREIGN =
            List.of(
                    "junit",
                    "opentest4j",
                    "apiguardian",
                    "surefire",
                    "test-classes",
                    "-tests.jar",
                    "testkit",
                    "conformance");

    private final Path models;
    private final Path plugins;

    private ShardProgram(Path models, Path plugins) {
        this.models = models;
        this.plugins = plugins;
    }

    /**
     * Lays out an installation.
     *
     * @param models folder in which shards look for models
     * @param folder an empty one for the installation
     */
    static ShardProgram install(Path models, Path folder) throws IOException {
        return install(models, folder, Natives.APART);
    }

    /** Likewise, with native libraries in the plugins or without. */
    static ShardProgram install(Path models, Path folder, Natives natives) throws IOException {
        Path plugins = Files.createDirectories(folder.resolve("plugins"));
        for (Class<?> plugin : PLUGINS) {
            Path code = codeOf(plugin);
            Path jar = plugins.resolve(plugin.getSimpleName() + ".jar");
            if (Files.isDirectory(code)) {
                pack(code, jar, natives);
            } else {
                Files.copy(code, jar);
            }
        }
        return new ShardProgram(models, plugins);
    }

    /** Packs classes, services and kernels, and ggml's libraries if they belong in the plugins. */
    private static void pack(Path classes, Path jar, Natives natives) throws IOException {
        try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = classes.relativize(file).toString();
                if (natives == Natives.PACKED || !name.startsWith("natives/linux-x64-cpu")) {
                    output.putNextEntry(new JarEntry(name));
                    Files.copy(file, output);
                }
            }
        }
    }

    /** Returns the command line up to the address to listen on. */
    List<String> command() {
        List<String> command = new ArrayList<>(java());
        command.addAll(
                List.of(
                        "-m",
                        "dev.varve.platform.cli/" + Main.class.getName(),
                        "shard",
                        "--log-level",
                        "warning",
                        "--device",
                        "cpu:0",
                        "--models",
                        models.toString(),
                        "--plugins",
                        plugins.toString(),
                        "--ggml-home",
                        System.getProperty("varve.test.natives")));
        return command;
    }

    /** Returns the command of a Java runtime with Varve's modules, without the main class. */
    List<String> java() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--module-path",
                modulePath(),
                "--enable-native-access=dev.varve.ggml");
    }

    /** Varve and its libraries, without the plugins. */
    String modulePath() {
        List<Path> pluginCode = PLUGINS.stream().map(ShardProgram::codeOf).toList();
        return Stream.of(classPath().split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath())
                .filter(entry -> !isForeign(entry))
                .filter(entry -> !pluginCode.contains(entry))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns the launch of a supervised process. */
    ShardLaunch launch(String name) {
        return launch(name, command());
    }

    /** Likewise, with another command. */
    ShardLaunch launch(String name, List<String> command) {
        return new ShardLaunch(name, command, Map.of(), Optional.of(plugins.getParent()));
    }

    /** A link that starts a process of its own. */
    ChildProcessLink child(String name) {
        return child(launch(name));
    }

    /** Likewise, with another launch. */
    ChildProcessLink child(ShardLaunch launch) {
        return new ChildProcessLink(
                launch, new UnixTransport(), ShardWireOptions.wireOptions("server"));
    }

    /** Returns the folder of the processes' sockets. */
    Path workFolder() {
        return plugins.getParent();
    }

    /** By the end of the path: the folder of the build may have any name. */
    private static boolean isForeign(Path entry) {
        int names = entry.getNameCount();
        String end = entry.subpath(Math.max(0, names - 3), names).toString();
        return FOREIGN.stream().anyMatch(end::contains);
    }

    private static String classPath() {
        return System.getProperty(
                "surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static Path codeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toAbsolutePath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
