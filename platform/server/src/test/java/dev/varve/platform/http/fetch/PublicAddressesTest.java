package dev.varve.platform.http.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.InetAddress;

class PublicAddressesTest {
    @ParameterizedTest
    @CsvSource({
        "8.8.8.8, true",
        "1.1.1.1, true",
        "172.15.255.255, true",
        "172.32.0.0, true",
        "100.63.255.255, true",
        "100.128.0.0, true",
        "223.255.255.255, true",
        "0.0.0.0, false",
        "10.1.2.3, false",
        "100.64.0.1, false",
        "127.0.0.1, false",
        "127.255.255.255, false",
        "169.254.169.254, false",
        "172.16.0.1, false",
        "172.31.255.255, false",
        "192.168.0.1, false",
        "198.19.0.1, false",
        "224.0.0.1, false",
        "255.255.255.255, false",
        "2606:4700:4700::1111, true",
        "2001:4860:4860::8888, true",
        "::, false",
        "::1, false",
        "::ffff:127.0.0.1, false",
        "::ffff:8.8.8.8, true",
        "64:ff9b::7f00:1, false",
        "fe80::1, false",
        "fc00::1, false",
        "fd00:ec2::254, false",
        "ff02::1, false",
        "2001:db8::1, false",
        "2001::1, false",
        "2002:7f00:1::, false",
    })
    void addressesOfLocalNetworksAreNotPublic(String address, boolean isPublic) {
        assertEquals(isPublic, PublicAddresses.contain(InetAddress.ofLiteral(address)));
    }
}
