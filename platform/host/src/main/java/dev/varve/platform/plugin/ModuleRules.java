package dev.varve.platform.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Checks the modules of a plugin. They contain nothing that the server already has, and of Varve's
 * modules they use only the API: a dependency on server internals would break with the next
 * release, without a clear error.
 */
final class ModuleRules {
    private static final String SERVER = "dev.varve.platform";
    private static final String ADVICE = "a plugin may use only the module dev.varve.api of Varve";

    private final ModuleLayer parent;

    ModuleRules(ModuleLayer parent) {
        this.parent = parent;
    }

    /**
     * Checks one module of a plugin.
     *
     * @throws PluginRejectedException with the violated rule
     */
    void check(ModuleReference module) throws PluginRejectedException {
        ModuleDescriptor descriptor = module.descriptor();
        // A second copy of the API would have its own, incompatible service types.
        if (parent.findModule(descriptor.name()).isPresent()) {
            throw new PluginRejectedException(
                    "it contains module "
                            + descriptor.name()
                            + ", which is already part of the server");
        }
        for (ModuleDescriptor.Requires required : descriptor.requires()) {
            if (isServer(required.name())) {
                throw new PluginRejectedException(
                        "module "
                                + descriptor.name()
                                + " requires "
                                + required.name()
                                + ", which is internal to the server; "
                                + ADVICE);
            }
        }
        for (String packageName : descriptor.packages()) {
            if (isServer(packageName)) {
                throw new PluginRejectedException(
                        "module "
                                + descriptor.name()
                                + " contains package "
                                + packageName
                                + ", which is part of the server");
            }
        }
        if (descriptor.isAutomatic()) {
            checkClasses(module);
        }
    }

    /**
     * Checks the classes of a jar without a descriptor: it requires no modules and reads all of
     * them.
     */
    private static void checkClasses(ModuleReference module) throws PluginRejectedException {
        try (ModuleReader reader = module.open()) {
            List<String> classes = reader.list().filter(name -> name.endsWith(".class")).toList();
            for (String name : classes) {
                if (usesServer(reader, name)) {
                    throw new PluginRejectedException(
                            "module "
                                    + module.descriptor().name()
                                    + ", which has no descriptor, uses "
                                    + SERVER
                                    + " in "
                                    + name
                                    + "; "
                                    + ADVICE);
                }
            }
        } catch (IOException e) {
            throw new PluginRejectedException(PluginRejectedException.reasonOf(e), e);
        }
    }

    /** Whether a class file uses server packages: their names appear literally in it. */
    private static boolean usesServer(ModuleReader reader, String name) throws IOException {
        Optional<InputStream> found = reader.open(name);
        if (found.isEmpty()) {
            return false;
        }
        try (InputStream bytes = found.get()) {
            String text = new String(bytes.readAllBytes(), StandardCharsets.ISO_8859_1);
            return text.contains(SERVER.replace('.', '/') + '/') || text.contains(SERVER + '.');
        }
    }

    private static boolean isServer(String name) {
        return name.equals(SERVER) || name.startsWith(SERVER + ".");
    }
}
