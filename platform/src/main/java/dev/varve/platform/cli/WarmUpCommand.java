package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.HttpServer;
import dev.varve.platform.plugin.PluginCatalog;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * Touches what a start and a first answer touch. The launcher records this run once per
 * installation and Java version, and the record makes later starts quick.
 */
@Command(
        name = "warm-up",
        hidden = true,
        description = "Prepares quick starts; the launcher calls it once.")
final class WarmUpCommand extends CliCommand {
    @Mixin private PluginOptions plugins;

    @Override
    int run() {
        showHelp();
        answer();
        PluginCatalog catalog = plugins.discover(environment());
        for (DeviceBackendProvider backend : catalog.backends().values()) {
            openDevices(backend);
        }
        HttpServer.start(HttpOptions.loopback()).close();
        Json.write(
                Json.parseObject(
                        "{\"messages\":[{\"role\":\"user\",\"content\":\"é\"}],\"n\":1.5}",
                        "warm-up"));
        return 0;
    }

    private void showHelp() {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        for (String command : new String[] {"serve", "generate"}) {
            VarveCommand.commandLine(environment(), nowhere, nowhere).execute(command, "--help");
        }
    }

    /**
     * The way from the command line to a token and back to its text, with a model of the smallest.
     */
    private void answer() {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        String model = DemoModel.DEFAULT.reference();
        VarveCommand.commandLine(environment(), nowhere, nowhere)
                .execute("generate", "--model", model, "--chat", "Hi", "--max-tokens", "3");
    }

    private void openDevices(DeviceBackendProvider backend) {
        try {
            backend.open(plugins.backendOptions(environment())).devices();
        } catch (VarveException e) {
            // Nothing depends on this run; varve devices and a real start say why a device is
            // missing.
            System.getLogger(WarmUpCommand.class.getName())
                    .log(System.Logger.Level.DEBUG, "no {0}: {1}", backend.name(), e.getMessage());
        }
    }
}
