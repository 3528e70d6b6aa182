// SPDX-License-Identifier: MIT
// Tokens and payers for tests, as they are met on real chains: honest, odd and hostile. Never for use with money.
pragma solidity ^0.8.20;

/// An ordinary ERC-20. With 18 decimals it plays BSC's USDT, with 6 USDC.
contract OrdinaryToken {
    uint8 public immutable decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(uint8 decimals_, uint256 supply) {
        decimals = decimals_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    /// One transaction with a Transfer log per recipient, as exchanges pay out.
    function transferMany(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) move(msg.sender, to[i], value);
    }

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// An ordinary one that says its symbol, as a token that only a configuration lists has to.
contract NamedToken is OrdinaryToken {
    string public symbol;

    constructor(uint8 decimals_, uint256 supply, string memory symbol_) OrdinaryToken(decimals_, supply) {
        symbol = symbol_;
    }
}

/// USDT's manners: `transfer` returns nothing, may take a fee, and can be told to fail without reverting.
contract TetherLikeToken {
    uint8 public constant decimals = 6;
    uint256 public feeBasisPoints;
    bool public failing;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint256 supply) {
        balanceOf[msg.sender] = supply;
    }

    function setFee(uint256 basisPoints) external {
        feeBasisPoints = basisPoints;
    }

    function setFailing(bool on) external {
        failing = on;
    }

    function transfer(address to, uint256 value) external {
        if (failing) {
            // Answers `false` (a word of zero) with status 1 and no log, as old tokens do.
            assembly {
                mstore(0, 0)
                return(0, 32)
            }
        }
        uint256 fee = (value * feeBasisPoints) / 10_000;
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - fee;
        balanceOf[address(this)] += fee;
        emit Transfer(msg.sender, to, value - fee);
        if (fee > 0) emit Transfer(msg.sender, address(this), fee);
    }
}

/// USDC's blacklist: transfers to a refused holder revert.
contract BlacklistingToken {
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public refused;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint256 supply) {
        balanceOf[msg.sender] = supply;
    }

    function refuse(address holder, bool on) external {
        refused[holder] = on;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(!refused[to], "blacklisted");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Tron's USDT: `transfer` promises a bool and never sets it, so that it answers false when it succeeded. It has a blacklist, may
/// take a fee, and can be told to fail without reverting and without a log.
contract TronTetherToken {
    uint8 public constant decimals = 6;
    uint256 public feeBasisPoints;
    bool public failing;
    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public refused;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint256 supply) {
        balanceOf[msg.sender] = supply;
    }

    function setFee(uint256 basisPoints) external {
        feeBasisPoints = basisPoints;
    }

    function setFailing(bool on) external {
        failing = on;
    }

    function refuse(address holder, bool on) external {
        refused[holder] = on;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        require(!refused[to], "blacklisted");
        if (failing) return false;
        uint256 fee = (value * feeBasisPoints) / 10_000;
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - fee;
        emit Transfer(msg.sender, to, value - fee);
        if (fee > 0) {
            balanceOf[address(this)] += fee;
            emit Transfer(msg.sender, address(this), fee);
        }
    }
}

/// Keeps a record of the native coin it is sent, which takes more gas than a plain address, as smart wallets do.
contract Till {
    mapping(address => uint256) public paidBy;

    receive() external payable {
        paidBy[msg.sender] += msg.value;
    }
}

/// The OP stack's GasPriceOracle, as far as senders ask it: 7 wei per byte, and at most 11.
contract DataFeeOracle {
    function getL1Fee(bytes memory data) external pure returns (uint256) {
        return 7 * data.length;
    }

    function getL1FeeUpperBound(uint256 size) external pure returns (uint256) {
        return 11 * size;
    }
}

/// Says whatever its caller likes about transfers that never happened.
contract SpoofingToken {
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function spoof(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    /// A log whose first topic is Transfer's but whose shape is another: nothing indexed but the sender, or no data.
    function spoofShape(address from, address to, uint256 value) external {
        bytes32 topic = keccak256("Transfer(address,address,uint256)");
        bytes32 sender = bytes32(uint256(uint160(from)));
        bytes32 receiver = bytes32(uint256(uint160(to)));
        assembly {
            mstore(0, receiver)
            mstore(32, value)
            log2(0, 64, topic, sender)
            log4(0, 0, topic, sender, receiver, value)
            log3(0, 64, topic, sender, receiver)
        }
    }
}

/// Pays the native coin by internal calls, as exchanges and smart wallets do.
contract Router {
    receive() external payable {}

    function pay(address payable[] calldata to, uint256 each) external payable {
        for (uint256 i = 0; i < to.length; i++) {
            (bool ok, ) = to[i].call{value: each}("");
            require(ok, "not paid");
        }
    }

    /// The inner frame pays and then reverts; the transaction itself succeeds and keeps the money here.
    function payAndRevertInside(address payable to) external payable {
        try this.payAndRevert{value: msg.value}(to) {} catch {}
    }

    function payAndRevert(address payable to) external payable {
        (bool ok, ) = to.call{value: msg.value}("");
        require(ok, "not paid");
        revert("taken back");
    }

    function payBySelfdestruct(address payable to) external payable {
        new Firework{value: msg.value}(to);
    }

    /// A delegated call echoes the outer value in traces although it moves nothing.
    function payNothingByDelegatecall(address to) external payable {
        (bool ok, ) = to.delegatecall("");
        require(ok, "delegated call failed");
    }
}

contract Firework {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
