//! Which user a local connection comes from, as far as the system says. Linux only: the kernel lists the sockets of all
//! users with their owners.

use std::net::SocketAddr;

/// Whether the client of a connection to `server` belongs to another user. Root may read everything anyway, and forwards
/// connections for others.
#[cfg(target_os = "linux")]
pub fn is_another_user(client: SocketAddr, server: SocketAddr) -> bool {
    let own = rustix::process::geteuid().as_raw();
    // Started with sudo, the browser still runs as the user.
    let is_allowed = |user: u32| own == 0 || user == own || user == 0;
    let owner = |table: &str| owner(&std::fs::read_to_string(table).ok()?, client, server);
    owner("/proc/net/tcp").or_else(|| owner("/proc/net/tcp6")).is_some_and(|user| !is_allowed(user))
}

#[cfg(not(target_os = "linux"))]
pub fn is_another_user(_: SocketAddr, _: SocketAddr) -> bool {
    false
}

/// Returns the user who owns the client's socket, from a table such as `/proc/net/tcp`.
#[cfg(any(target_os = "linux", test))]
fn owner(table: &str, client: SocketAddr, server: SocketAddr) -> Option<u32> {
    let [client, server] = [in_table(client)?, in_table(server)?];
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        // In the table of version 6, an address of version 4 is the last part.
        let is_client = fields.next()?.ends_with(&client) && fields.next()?.ends_with(&server);
        if is_client { fields.nth(4)?.parse().ok() } else { None }
    })
}

/// The kernel writes the address as one number in the machine's own order of bytes.
#[cfg(any(target_os = "linux", test))]
fn in_table(address: SocketAddr) -> Option<String> {
    let SocketAddr::V4(address) = address else { return None };
    Some(format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port()))
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::*;

    const TABLE: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 17 1 0 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 18 1 0 100 0 0 10 0
   2: 0000000000000000FFFF00000100007F:C351 0000000000000000FFFF00000100007F:1F90 01 0:0 00:0 0  1002        0 19 1
";

    #[test]
    fn owner_of_a_connection_is_found_by_its_two_ports() {
        let at = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let owner = |port: u16, server: u16| owner(TABLE, at(port), at(server));
        assert_eq!([owner(50_000, 8080), owner(50_001, 8080)], [Some(1001), Some(1002)]);
        assert_eq!([owner(50_000, 8081), owner(50_002, 8080)], [None, None]);
    }
}
