package dev.varve.plugin.chronicle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Java options that the libraries need. The launcher reads them from {@code java.options} beside
 * the plugin's jar.
 */
final class JavaOptions {
    private static final List<String> OPENED = List.of("java.lang", "java.lang.reflect");
    private static final List<String> EXPORTED = List.of("sun.nio.ch");
    private static final List<String> MODULES =
            List.of("java.management", "java.naming", "jdk.compiler", "jdk.unsupported");

    private JavaOptions() {}

    /** Fails if Java was started without an option. */
    static void require() throws IOException {
        Module base = Object.class.getModule();
        Module libraries = ClassLoader.getPlatformClassLoader().getUnnamedModule();
        List<String> missing = new ArrayList<>();
        for (String name : OPENED) {
            if (!base.isOpen(name, libraries)) {
                missing.add("--add-opens=java.base/" + name + "=ALL-UNNAMED");
            }
        }
        for (String name : EXPORTED) {
            if (!base.isExported(name, libraries)) {
                missing.add("--add-exports=java.base/" + name + "=ALL-UNNAMED");
            }
        }
        for (String name : MODULES) {
            if (ModuleLayer.boot().findModule(name).isEmpty()) {
                missing.add("--add-modules=" + name);
            }
        }
        if (!missing.isEmpty()) {
            throw new IOException(
                    "store chronicle needs Java options that are not set: "
                            + String.join(" ", missing));
        }
    }
}
