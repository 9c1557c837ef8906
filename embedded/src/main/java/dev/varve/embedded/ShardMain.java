package dev.varve.embedded;

import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.SupervisedShard;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A child process that computes layers for the program that started it. */
final class ShardMain {
    /** Argument before the folder of unpacked libraries; only {@link ChildProgram} uses it. */
    static final String CACHE = "--cache-folder";

    private ShardMain() {}

    /**
     * Serves the program that started this process, until that ends.
     *
     * @param arguments of {@link ChildProgram}, and those that the host adds: device, models and
     *     address
     */
    public static void main(String[] arguments) throws IOException {
        Arguments parsed = Arguments.parse(arguments);
        SupervisedShard.serve(
                PluginSettings.installed(Path.of(parsed.cacheFolder())),
                parsed.device(),
                parsed.models(),
                parsed.address(),
                System.in,
                ShardMain::announce);
        System.exit(0);
    }

    private static void announce(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Arguments of the process. */
    record Arguments(String cacheFolder, String device, List<Path> models, String address) {
        static Arguments parse(String... arguments) {
            String cacheFolder = "";
            String device = "";
            String address = "";
            List<Path> models = new ArrayList<>();
            for (int i = 0; i + 1 < arguments.length; i += 2) {
                String value = arguments[i + 1];
                switch (arguments[i]) {
                    case CACHE -> cacheFolder = value;
                    case "--device" -> device = value;
                    case "--model" -> models.add(Path.of(value));
                    case "--listen" -> address = value;
                    default -> throw new IllegalArgumentException(arguments[i] + ": unknown");
                }
            }
            return new Arguments(cacheFolder, device, models, address);
        }
    }
}
