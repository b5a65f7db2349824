//! load
#[derive(Debug)]
pub struct Loader {}
impl Loader {
    pub fn new(_bytes_total: Option<u64>) -> Loader {
        Loader {}
    }
}
