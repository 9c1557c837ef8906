package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.PlainModel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The resources that a shard process offers to servers. */
class InstalledShardResourcesTest {
    @TempDir Path folder;

    private final PlainPlugins plugins = new PlainPlugins();

    private InstalledShardResources host(
            List<String> devices, List<Path> models, List<Path> folders) {
        return host(devices, models, folders, List.of());
    }

    private InstalledShardResources host(
            List<String> devices,
            List<Path> models,
            List<Path> folders,
            List<Path> adapterFolders) {
        PluginCatalog catalog = plugins.catalog();
        return new InstalledShardResources(
                catalog,
                new LocalBackends(catalog.backends(), BackendOptions.packed(folder)),
                new InstalledShardResources.Permitted(
                        devices.stream().map(DeviceReference::parse).toList(),
                        models,
                        folders,
                        adapterFolders),
                TensorDigests.cachedIn(folder));
    }

    private static List<String> names(InstalledShardResources host) {
        return host.devices().stream().map(DeviceInfo::name).toList();
    }

    @Test
    void allDevicesAreOfferedUnlessSomeAreNamed() {
        assertEquals(
                List.of("cpu:0", "cpu:1", "cuda:0", "cuda:1"),
                names(host(List.of(), List.of(), List.of())));
        assertEquals(
                List.of("cuda:1", "cpu:0"),
                names(host(List.of("cuda:1", "cpu:0"), List.of(), List.of())));
    }

    @Test
    void missingDeviceIsDetectedBeforeTheFirstServer() {
        InstalledShardResources host = host(List.of("cpu:0", "cuda:7"), List.of(), List.of());

        VarveException error = assertThrows(VarveException.class, host::requireDevices);

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals("expected one of cuda:0, cuda:1, found cuda:7", error.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cpu:x         | INVALID_REQUEST | expected a backend and a number",
                "cpu:0@process | INVALID_REQUEST | expected a device of this shard process",
                "cuda:0        | UNAVAILABLE     | cuda:0: not among the devices of this shard,"
                        + " [cpu:0]",
                "cpu:0         | UNAVAILABLE     | cpu:0 cannot compute"
            })
    void serverGetsOnlyOfferedDevices(String device, VarveException.Kind kind, String expected) {
        InstalledShardResources host = host(List.of("cpu:0"), List.of(), List.of());

        VarveException error =
                assertThrows(
                        VarveException.class, () -> host.open(device, DeviceOptions.automatic()));

        assertEquals(kind, error.kind());
        assertTrue(error.getMessage().contains(expected), error.getMessage());
    }

    @Test
    void adaptersAreFoundByNameBelowTheirFolders() throws IOException {
        Path models = Files.createDirectory(folder.resolve("models"));
        Path below = Files.createDirectories(folder.resolve("adapters/a/b"));
        Path first = PlainModel.mixed(256).write(models);
        Path second = PlainModel.attentionOnly(2, 256).write(below);
        InstalledShardResources host =
                host(List.of(), List.of(), List.of(models), List.of(folder.resolve("adapters")));

        List<Path> found = host.loras("plain.gguf").stream().map(file -> file.path()).toList();

        assertEquals(List.of(first, second), found);
        VarveException missing =
                assertThrows(VarveException.class, () -> host.loras("missing.gguf"));
        assertEquals(VarveException.Kind.UNREADABLE_FILE, missing.kind());
        assertTrue(
                missing.getMessage().contains(Setting.LORA_DIR.toString()), missing.getMessage());
    }

    @Test
    void modelsAreFoundByNameInFilesThenInFolders() throws IOException {
        Path one = Files.createDirectory(folder.resolve("one"));
        Path two = Files.createDirectory(folder.resolve("two"));
        Path named = PlainModel.mixed(256).write(one);
        PlainModel.attentionOnly(2, 256).write(two);

        InstalledShardResources byFile = host(List.of(), List.of(named), List.of(two));
        InstalledShardResources byFolder = host(List.of(), List.of(), List.of(folder, two, one));

        assertEquals(named, byFile.model("plain.gguf").path());
        assertEquals(two.resolve("plain.gguf"), byFolder.model("plain.gguf").path());
        assertEquals(
                4,
                byFile.adapter(byFile.model("plain.gguf"), ModelOptions.defaults())
                        .shape()
                        .layerCount());
    }

    @Test
    void unknownModelIsRefusedWithTheSearchedFolders() {
        InstalledShardResources host = host(List.of(), List.of(Path.of("a.gguf")), List.of(folder));

        VarveException error = assertThrows(VarveException.class, () -> host.model("missing.gguf"));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, error.kind());
        assertEquals(
                "missing.gguf: this shard has no such model; it searches "
                        + Setting.MODEL
                        + " [a.gguf] and "
                        + Setting.MODELS
                        + " ["
                        + folder
                        + "]",
                error.getMessage());
    }
}
