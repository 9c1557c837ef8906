package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.plugin.LoadedPlugin;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.plugin.PluginOrigin;
import dev.varve.platform.plugin.PluginServiceKind;
import dev.varve.platform.shard.PlainModel;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Plugins without any native code: the family of plain models, and backends with two devices each
 * that say what is asked of them, and cannot compute.
 */
final class PlainPlugins {
    /** The calls to the backends, in order. */
    final List<String> asked = Collections.synchronizedList(new ArrayList<>());

    /** How files were read, in order. */
    final List<ModelOptions> readings = Collections.synchronizedList(new ArrayList<>());

    private final class Backend implements DeviceBackendProvider, DeviceBackend {
        private final String name;
        private final boolean hostCores;

        Backend(String name, boolean hostCores) {
            this.name = name;
            this.hostCores = hostCores;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String ggmlVersion() {
            return "1";
        }

        @Override
        public DeviceBackend open(BackendOptions options) {
            asked.add("load " + name);
            return this;
        }

        @Override
        public List<DeviceInfo> devices() {
            return List.of(info(0), info(1));
        }

        private DeviceInfo info(int index) {
            return new DeviceInfo(name + ":" + index, "", 1L << 40, 1L << 40, hostCores);
        }

        @Override
        public ComputeDevice open(int index, DeviceOptions options) {
            asked.add("open " + name + ":" + index + " " + options.threads());
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE, name + ":" + index + " cannot compute");
        }
    }

    /** Reads plain models. */
    private final class Family implements ModelFamilyProvider {
        @Override
        public Set<String> architectures() {
            return Set.of(PlainModel.ARCHITECTURE);
        }

        @Override
        public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
            readings.add(options);
            return PlainModel.read(model);
        }
    }

    /** The family, and backends {@code cpu} and {@code cuda}. */
    PluginCatalog catalog() {
        return PluginCatalog.of(
                List.of(
                        LoadedPlugin.of(
                                new PluginOrigin(Path.of("plain.jar"), "plain", Optional.empty()),
                                Map.of(
                                        PluginServiceKind.FAMILIES,
                                        List.of(new Family()),
                                        PluginServiceKind.BACKENDS,
                                        List.of(
                                                new Backend("cpu", true),
                                                new Backend("cuda", false))))));
    }
}
