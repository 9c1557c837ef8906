package dev.varve.embedded;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The command that starts a process of this program's own classes, on the class path or the module
 * path, as a shard.
 */
final class ChildProgram {
    private static final String MODULE = "dev.varve.ggml";

    private ChildProgram() {}

    /**
     * Returns the command, to which device, models and address are added.
     *
     * @param cacheFolder folder of unpacked libraries
     */
    static List<String> command(Path cacheFolder) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-Xmx1g", "-XX:-UsePerfData"));
        Module own = ShardMain.class.getModule();
        Optional.ofNullable(System.getProperty("java.class.path"))
                .filter(path -> !path.isEmpty())
                .ifPresent(path -> command.addAll(List.of("-cp", absolute(path))));
        if (own.isNamed()) {
            command.addAll(List.of("-p", absolute(System.getProperty("jdk.module.path"))));
            command.addAll(List.of("--enable-native-access=" + MODULE, "-m"));
            command.add(own.getName() + "/" + ShardMain.class.getName());
        } else {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add(ShardMain.class.getName());
        }
        command.addAll(List.of(ShardMain.CACHE, cacheFolder.toString()));
        return command;
    }

    private static String absolute(String paths) {
        List<String> all = new ArrayList<>();
        for (String path : paths.split(File.pathSeparator)) {
            all.add(Path.of(path).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, all);
    }
}
