package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.placement.ProcessGrouping;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.ModelSettings;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

class HostSettingsTest {
    private static final HostSettings SETTINGS =
            HostSettings.of(Path.of("m.gguf"), Path.of("plugins"), Path.of("cache"));

    @Test
    void unsetSettingsUseTheFlagDefaults() {
        assertEquals(ModelSettings.defaults(), SETTINGS.model());
        assertEquals("[auto:0]", SETTINGS.devices().placement().devices().toString());
        assertEquals(ProcessGrouping.AS_NAMED, SETTINGS.devices().placement().grouping());
        assertEquals(PeerAccess.THROUGH_HOST, SETTINGS.devices().placement().peerAccess());
        assertEquals(Optional.empty(), SETTINGS.plugins().ggmlHome());
        assertEquals(ShardProcessSettings.none(), SETTINGS.processes());
    }

    @Test
    void devicesAreParsedLikeOnTheCommandLine() {
        HostSettings split = SETTINGS.onDevices("cpu:0,cuda:1@process", SplitRule.parse("0.3,0.7"));

        assertEquals("[cpu:0, cuda:1@process]", split.devices().placement().devices().toString());
        assertEquals(new SplitRule.Weights(List.of(0.3, 0.7)), split.devices().placement().split());
        assertThrows(IllegalArgumentException.class, () -> SETTINGS.onDevices("cpu"));
    }

    @Test
    void changedSettingKeepsTheOthers() {
        DeviceSettings devices = DeviceSettings.best().withThreads(3);
        PluginSettings plugins =
                PluginSettings.of(Path.of("others"), Path.of("cache")).withGgmlHome(Path.of("g"));
        ShardProcessSettings processes =
                ShardProcessSettings.launchedBy(Path.of("bin/varve"))
                        .with(BoundaryType.F16)
                        .with(TransportOptions.defaults().withToken("secret"));

        HostSettings changed =
                SETTINGS.with(ModelSettings.single(7)).with(devices).with(plugins).with(processes);

        assertEquals(
                new HostSettings(
                        Path.of("m.gguf"), ModelSettings.single(7), devices, plugins, processes),
                changed);
        assertEquals(List.of("bin/varve", "shard"), processes.command());
        assertEquals(BoundaryType.F16, processes.boundaryType());
        assertEquals(Optional.of("secret"), processes.transport().token());
    }

    @Test
    void poolIsANumberOfTokensOrAutomatic() {
        assertEquals(
                Optional.of(RequestedPaging.of(4096)),
                SETTINGS.withPool(4096).withSequences(8192, 2).model().pool());
        assertEquals(
                Optional.of(RequestedPaging.automatic()),
                SETTINGS.withAutomaticPool().model().pool());
        assertThrows(IllegalArgumentException.class, () -> SETTINGS.withPool(0));
    }

    @Test
    void deviceOnCpuCoresIsOpenedWithASharedLock() {
        DeviceSettings devices = DeviceSettings.best().withThreads(3);

        assertEquals(3, devices.options(CpuSharingMode.SHARED).threads().orElseThrow());
        assertEquals(true, devices.options(CpuSharingMode.SHARED).sharedCores());
        assertEquals(false, devices.options(CpuSharingMode.ALONE).sharedCores());
    }
}
