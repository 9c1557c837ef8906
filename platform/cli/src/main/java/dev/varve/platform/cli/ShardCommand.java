package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;
import dev.varve.platform.content.TensorDigests;
import dev.varve.platform.host.InstalledShardResources;
import dev.varve.platform.host.SupervisedShard;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.ShardResources;
import dev.varve.platform.remote.ShardServer;
import dev.varve.platform.remote.ShardWireOptions;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Computes layers of a model for a server in another process or on another host. */
@Command(
        name = "shard",
        addMethodSubcommands = false,
        description = {
            "Computes layers of a model for servers on this or other hosts.",
            "A server names the model by its file name and checks that both sides have the same"
                + " header and the same weights; the connection carries no path. varve shard stores"
                + " the digests of the weights next to the file, as NAME.gguf.digests. When the"
                + " connection of a server ends, its memory is freed.",
            "A server connects to it with DEVICE@ADDRESS in --target-devices. A separate process on"
                + " the server's own machine needs no varve shard: write DEVICE@process, and the"
                + " server starts the process."
        },
        customSynopsis = "varve shard --listen ADDRESS [OPTIONS]",
        footer = {
            "  varve shard --listen unix:/run/varve/a.sock --models /srv/models",
            "  varve serve --model /srv/models/m.gguf \\",
            "       --target-devices cpu:0,vulkan:0@unix:/run/varve/a.sock",
            "  varve shard --listen grpc:0.0.0.0:7700 --model m.gguf \\",
            "       --shard-tls-cert box.pem --shard-tls-key box.key \\",
            "       --shard-token-file secret"
        })
final class ShardCommand extends CliCommand {
    @Option(
            names = "--listen",
            required = true,
            paramLabel = "ADDRESS",
            description =
                    "Address that servers connect to: unix:/path on this machine, grpc:host:port"
                            + " from other machines.",
            order = 1)
    private String address;

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            description = "Device that servers may use; may be repeated (default: all devices).",
            order = 2)
    private List<String> devices = List.of();

    @Option(
            names = {"-m", "--model"},
            paramLabel = "FILE",
            converter = ModelReference.Converter.class,
            description =
                    "Model file (GGUF) that servers may use; may be repeated. Servers may always"
                            + " use the demo models.",
            order = 3)
    private List<ModelReference> models = List.of();

    @Option(
            names = "--models",
            paramLabel = "FOLDER",
            description =
                    "Folder with models by file name; may be repeated (default: the current"
                            + " folder). Also: VARVE_MODELS.",
            order = 4)
    private List<Path> folders = List.of();

    @Option(
            names = "--lora-dir",
            paramLabel = "FOLDER",
            description =
                    "Folder of LoRA adapters that servers may add while they run; may be repeated."
                            + " Files are found by their name, also in folders below it.",
            order = 4)
    private List<Path> adapterFolders = List.of();

    @Option(
            names = "--insecure",
            description = "The same as --shard-insecure.",
            hidden = true,
            order = 5)
    private boolean insecure;

    @Option(
            names = "--supervised",
            hidden = true,
            description =
                    "Read the secret from standard input, serve one connection, and exit when it or"
                            + " standard input ends.")
    private boolean supervised;

    @Mixin private TransportArguments transport;

    @Mixin private PluginOptions plugins;

    @Mixin private LogArguments log;

    @Override
    boolean acceptsSeveralModels() {
        return true;
    }

    @Override
    Optional<LogArguments> log() {
        return Optional.of(log);
    }

    @Override
    int run() throws IOException {
        int colon = address.indexOf(':');
        if (colon < 1) {
            throw new UsageException(
                    "--listen: expected a transport and an address, such as unix:/path, found "
                            + address);
        }
        PluginCatalog catalog = plugins.discover(environment());
        TransportProvider provider = catalog.transport(address.substring(0, colon));
        TransportOptions options = transport.options(environment(), insecure);
        InstalledShardResources host = host(catalog);
        host.requireDevices();
        try (PeriodicGarbageCollection _ = PeriodicGarbageCollection.start()) {
            if (supervised) {
                SupervisedShard.serve(
                        catalog, host, options, address, System.in, this::printAddress);
                return 0;
            }
            try (Listener listener = listen(provider, address.substring(colon + 1), options)) {
                serve(listener, host, options);
            }
        }
        return 0;
    }

    private void printAddress(String line) {
        out().println(line);
        out().flush();
    }

    private static Listener listen(
            TransportProvider provider, String where, TransportOptions options) {
        try {
            return provider.listen(where, options);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE, "--listen: " + e.getMessage(), e);
        }
    }

    private void serve(Listener listener, ShardResources host, TransportOptions options)
            throws IOException {
        ShardServer server =
                new ShardServer(
                        host, ShardWireOptions.wireOptions("shard").withToken(options.token()));
        printAddress("listening on " + listener.address());
        while (true) {
            try {
                server.serve(listener.accept());
            } catch (IOException e) {
                if (Thread.interrupted()) {
                    printMessage("stopped");
                    server.close();
                    return;
                }
                throw e;
            }
        }
    }

    private InstalledShardResources host(PluginCatalog catalog) {
        List<DeviceReference> allowed = new ArrayList<>();
        for (String device : devices) {
            try {
                DeviceReference reference = DeviceReference.parse(device);
                if (!reference.isLocal()) {
                    throw new IllegalArgumentException(
                            "expected a device of this process, found " + device);
                }
                allowed.add(reference);
            } catch (IllegalArgumentException e) {
                throw new UsageException("--device: " + e.getMessage());
            }
        }
        List<Path> lookedUp = new ArrayList<>(ModelSearchPath.given(folders, environment()));
        if (lookedUp.isEmpty()) {
            lookedUp.add(Path.of("").toAbsolutePath());
        }
        // Last, so that they do not shadow models that the user named.
        lookedUp.add(environment().modelsFolder());
        return new InstalledShardResources(
                catalog,
                new LocalBackends(catalog.backends(), plugins.backendOptions(environment())),
                new InstalledShardResources.Permitted(
                        allowed,
                        models.stream().map(model -> model.file(environment())).toList(),
                        lookedUp,
                        supervised
                                ? adapterFolders
                                : FolderOption.check("--lora-dir", adapterFolders)),
                TensorDigests.cachedIn(environment().cacheFolder()));
    }
}
